import type { Db, Transaction } from '../../../db/client.ts'
import { isUniqueViolation } from '../../../db/errors.ts'
import type { Deps } from '../../../deps.ts'
import type { Actor, WebsiteUser } from '../../../domain/actor.ts'
import {
  JAM_SLUG_MAX,
  JAM_STATES,
  type JamMakers,
  JAMS_PER_HOST_MAX,
  type JamState,
  RESERVED_JAM_SLUGS,
} from '../../../domain/jams.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { createUid, isUid } from '../../../lib/ids.ts'
import type { Page, Paged } from '../../../lib/paging.ts'
import { slugify } from '../../../lib/text/names.ts'
import { settingsOf } from '../../settings/reader.ts'
import { discardObjects } from '../../storage/service.ts'
import { type JamRow, lockManagedJam, markJamChanged, openJam, recordHostAct } from '../access.ts'
import { loadNow } from '../shared-queries.ts'
import { applyPatch, describeChanges, hasStarted, listDifferences, NEW_JAM, requireAllowed } from './edit.ts'
import type { Jam, JamInput, JamPatch, JamSummary, OwnJam } from './model.ts'
import { parsePeople, savePeople } from './people.ts'
import * as queries from './queries.ts'
import { toJam, toOwnJam, toSummaries } from './responses.ts'

type Services = Pick<Deps, 'config'> & { db: Db }

/** A jam with the revision that If-Match is compared with. */
export interface RevisedJam {
  jam: OwnJam
  revision: number
}

/** Throws when the caller's revision is not the current one. */
type RevisionCheck = (revision: number) => void

export function parseJamState(text: string | undefined): JamState | null {
  return JAM_STATES.find((state) => state === text) ?? null
}

/** Public jams: what is next first; all of them newest first. */
export async function listJams(
  { db, config }: Services,
  state: JamState | null,
  page: Page,
): Promise<Paged<JamSummary>> {
  return await toSummaries(db, config.baseUrl, await queries.pagePublic(db, state, page))
}

/** Those that the person hosts, judges or joined. */
export async function listOwnJams(
  { db, config }: Services,
  user: WebsiteUser,
  page: Page,
): Promise<Paged<JamSummary>> {
  return await toSummaries(db, config.baseUrl, await queries.pageOwn(db, user.userUid, page))
}

export async function getJam({ db, config }: Services, actor: Actor | null, ref: string): Promise<Jam> {
  return await toJam(db, config.baseUrl, await openJam(db, actor, ref))
}

export async function getOwnJam(
  { db, config }: Services,
  user: WebsiteUser,
  ref: string,
): Promise<RevisedJam> {
  const access = await openJam(db, user, ref)
  return { jam: await toOwnJam(db, config.baseUrl, access), revision: access.jam.revision }
}

/** As everyone sees it, with what changes with each edit; calendars have no session. */
export async function loadJamForCalendar(
  { db, config }: Services,
  ref: string,
): Promise<{ jam: Jam; revision: number }> {
  const access = await openJam(db, null, ref)
  return { jam: await toJam(db, config.baseUrl, access), revision: access.jam.revision }
}

/** Null if the person may make one, else why not. */
export function findMakingFault(makers: JamMakers, user: WebsiteUser): AppError | null {
  const refuse = (message: string) => new AppError('forbidden', { message })
  if (makers === 'off') return refuse('This store makes no new jams.')
  if (!user.emailVerified && !user.isOperator) return new AppError('email_not_verified', { message: CONFIRM })
  if (user.isOperator) return null
  if (makers === 'operators') return refuse('Only the people who run this store make jams.')
  return user.developerMode ? null : new AppError('developer_mode_needed')
}

const CONFIRM = 'Confirm your e-mail address first: open the link in the mail.'

export async function createJam(deps: Deps, user: WebsiteUser, input: JamInput): Promise<RevisedJam> {
  const fault = findMakingFault((await settingsOf(deps).read()).jams, user)
  if (fault) throw fault
  return await refuseTakenSlug(() =>
    deps.db.transaction(async (tx) => {
      await queries.lockMaker(tx, user.userUid)
      if ((await queries.countHosted(tx, user.userUid)) >= JAMS_PER_HOST_MAX)
        throw new AppError('taken', {
          message: `You host ${JAMS_PER_HOST_MAX} jams that are not over. Delete one, or wait until one ends.`,
        })
      const values = applyPatch(NEW_JAM, input, await loadNow(tx))
      const people = await parsePeople(tx, input, { hosts: [], judges: [] }, user.userUid)
      const slug = input.slug === undefined ? await chooseSlug(tx, values.title) : requireSlug(input.slug)
      const jam = await queries.insertJam(tx, { ...values, uid: createUid(), slug })
      await savePeople(tx, jam.uid, { hosts: [], judges: [] }, people)
      await recordHostAct(tx, user, jam, { act: 'create_jam' })
      await markJamChanged(tx, jam.uid)
      return await loadRevised(deps, tx, user, jam.uid)
    }),
  )
}

/** Changes the fields that are sent. */
export async function editJam(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  patch: JamPatch,
  checkRevision: RevisionCheck,
): Promise<RevisedJam> {
  return await refuseTakenSlug(() =>
    deps.db.transaction(async (tx) => {
      const access = await lockManagedJam(deps, tx, user, ref)
      const { jam, now } = access
      checkRevision(jam.revision)
      // Who cannot see the theme cannot replace it by what they were shown.
      const { theme, ...others } = patch
      const values = applyPatch(jam, access.isHost ? patch : others, now)
      if (!access.isHost && theme) throw invalidField('theme', 'can only be changed by the hosts.')
      const slug = patch.slug === undefined || patch.slug === jam.slug ? jam.slug : requireSlug(patch.slug)
      const known = await loadPeople(tx, jam.uid)
      const people = await parsePeople(tx, patch, known, null)
      const isRunning = hasStarted(jam, now)
      if (isRunning) requireAllowed(jam, values, slug, now)
      const differences = listDifferences(jam, values)
      if (slug !== jam.slug) differences.push('slug')
      const moved = await savePeople(tx, jam.uid, known, people)
      if (differences.length + moved.length === 0) return await loadRevised(deps, tx, user, jam.uid)
      const saved = await queries.updateJam(tx, jam.uid, { ...values, slug })
      await recordEdit(tx, user, saved, {
        lines: isRunning ? [...describeChanges(jam, values), ...moved] : null,
        text: [...differences.map((name) => `${name} changed.`), ...moved].join(' '),
        isLogged: isRunning || !access.isNamedHost,
      })
      await markJamChanged(tx, jam.uid)
      return await loadRevised(deps, tx, user, jam.uid)
    }),
  )
}

interface Edit {
  /** Null before the start, when changes are not listed. */
  lines: string[] | null
  text: string
  isLogged: boolean
}

async function recordEdit(
  tx: Transaction,
  user: WebsiteUser,
  jam: JamRow,
  { lines, text, isLogged }: Edit,
): Promise<void> {
  if (lines === null) {
    if (isLogged) await recordHostAct(tx, user, jam, { text })
    return
  }
  for (const listed of lines) await recordHostAct(tx, user, jam, { listed })
}

async function loadPeople(db: Db, jamUid: string) {
  const people = await queries.listPeople(db, [jamUid])
  return {
    hosts: people.filter(({ role }) => role === 'host'),
    judges: people.filter(({ role }) => role === 'judge'),
  }
}

/** Drafts, and jams that nobody has entered. */
export async function deleteJam(deps: Deps, user: WebsiteUser, ref: string): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const { jam } = await lockManagedJam(deps, tx, user, ref)
    if (jam.visibility !== 'draft' && (await queries.countEntries(tx, jam.uid)) > 0)
      throw new AppError('taken', { message: 'This jam has entries, so it cannot be deleted.' })
    await queries.deleteJam(tx, jam.uid)
    if (jam.coverKey !== null) await discardObjects(tx, { keys: [jam.coverKey] })
    await recordHostAct(tx, user, jam, { act: 'delete_jam' })
    await markJamChanged(tx, jam.uid)
  })
}

/** Read again, because whoever made the change may no longer be a host. */
async function loadRevised(deps: Deps, tx: Transaction, user: WebsiteUser, uid: string): Promise<RevisedJam> {
  return await getOwnJam({ config: deps.config, db: tx }, user, uid)
}

async function refuseTakenSlug<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw invalidField('slug', 'is taken: another jam has it. Choose another.', { kind: 'taken' })
  }
}

function requireSlug(slug: string): string {
  if (!RESERVED_JAM_SLUGS.has(slug) && !isUid(slug)) return slug
  throw invalidField('slug', 'is reserved. Choose another.', { kind: 'taken' })
}

const NUMBERED_MAX = 20

/** From the title; titles without letters that an address can have get `jam`. */
async function chooseSlug(tx: Transaction, title: string): Promise<string> {
  const suggested = slugify(title, JAM_SLUG_MAX - 9).replace(/-$/, '') || 'jam'
  const base = RESERVED_JAM_SLUGS.has(suggested) ? `jam-${suggested}` : suggested
  const numbered = Array.from({ length: NUMBERED_MAX - 1 }, (_, index) => `${base}-${index + 2}`)
  const candidates = [base, ...numbered]
  const taken = await queries.listTakenSlugs(tx, candidates)
  return candidates.find((slug) => !taken.includes(slug)) ?? `${base}-${crypto.randomUUID().slice(0, 8)}`
}
