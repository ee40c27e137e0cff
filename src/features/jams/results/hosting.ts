import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import type { Prize } from '../../../domain/jams.ts'
import { AppError } from '../../../errors.ts'
import { mapPage, type Page, type Paged } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import { notifyPages } from '../../games/service.ts'
import {
  type JamAccess,
  jamClosed,
  type JamRow,
  lockManagedJam,
  openManagedJam,
  recordHostAct,
} from '../access.ts'
import { noEntry } from '../rating/service.ts'
import { publishResults, recomputeAfter, storeResults } from './compute.ts'
import * as queries from './hosting-queries.ts'
import { type PrizesInput, type ReasonInput, ResultsState } from './model.ts'
import { markHeld } from './queries.ts'

type ListedEntry = Awaited<ReturnType<typeof queries.lockEntry>>

/** Runs a host act on one entry, which stays locked. */
async function changeEntry(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  gameRef: string,
  change: (tx: Transaction, jam: JamRow, entry: NonNullable<ListedEntry>) => Promise<void>,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const { jam } = await lockManagedJam(deps, tx, user, ref)
    const entry = await queries.lockEntry(tx, jam.uid, gameRef)
    if (!entry) throw noEntry()
    await change(tx, jam, entry)
  })
}

/** The entry keeps its place in the list, without a rank and with the reason. Results that are there are computed again. */
export async function disqualifyEntry(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  gameRef: string,
  { reason }: ReasonInput,
): Promise<void> {
  await changeEntry(deps, user, ref, gameRef, async (tx, jam, { uid, name, disqualifiedAt }) => {
    if (disqualifiedAt !== null)
      throw new AppError('taken', { message: 'This entry is disqualified already.' })
    await queries.setDisqualified(tx, uid, reason.trim())
    await recordHostAct(tx, user, jam, { listed: `${name} was disqualified: ${reason.trim()}${again(jam)}` })
    await recomputeAfter(tx, jam)
  })
}

export async function readmitEntry(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  gameRef: string,
  { reason }: ReasonInput,
): Promise<void> {
  await changeEntry(deps, user, ref, gameRef, async (tx, jam, { uid, name, disqualifiedAt }) => {
    if (disqualifiedAt === null) throw new AppError('taken', { message: 'This entry is not disqualified.' })
    await queries.setDisqualified(tx, uid, null)
    await recordHostAct(tx, user, jam, {
      listed: `${name} is no longer disqualified: ${reason.trim()}${again(jam)}`,
    })
    await recomputeAfter(tx, jam)
  })
}

const again = ({ computedAt }: JamRow) => (computedAt === null ? '' : ' The results were computed again.')

/** Replaces the prizes of an entry. */
export async function awardPrizes(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  gameRef: string,
  { prizes }: PrizesInput,
): Promise<void> {
  await changeEntry(deps, user, ref, gameRef, async (tx, jam, { uid, gameUid, name }) => {
    const given = prizes.map(({ title, text }) => ({ title: title.trim(), text: text.trim() }))
    await queries.setPrizes(tx, uid, given)
    const titles = given.map(({ title }) => title).join(', ')
    await recordHostAct(tx, user, jam, { text: `Prizes of ${name}: ${titles || 'none'}` })
    await notifyPages(tx, [gameUid])
  })
}

export interface HostEntry {
  uid: string
  name: string
  received: number
  rank: number | null
  disqualified: string | null
  prizes: readonly Prize[]
}

/** The entries of a jam by name, for hosts. */
export async function listHostEntries(
  { db }: Pick<Deps, 'db'>,
  user: WebsiteUser,
  ref: string,
  text: string,
  page: Page,
): Promise<Paged<HostEntry>> {
  const { jam } = await openManagedJam(db, user, ref)
  return mapPage(
    await queries.pageEntries(db, jam.uid, text.slice(0, FIND_MAX), page),
    ({ disqualifiedAt, disqualifiedFor, ...entry }) => ({
      ...entry,
      disqualified: disqualifiedAt === null ? null : (disqualifiedFor ?? ''),
    }),
  )
}

const FIND_MAX = 100

export const RESULT_ACTS = ['hold', 'publish', 'recount'] as const
export type ResultAct = (typeof RESULT_ACTS)[number]

type ChangeResults = (tx: Transaction, user: WebsiteUser, access: JamAccess) => Promise<void>

const CHANGES: Readonly<Record<ResultAct, ChangeResults>> = {
  /** Only before they are out: what everybody has read cannot be held back. */
  async hold(tx, user, { jam, now }) {
    if (jam.votingEndsAt === null) throw jamClosed(jam, 'see_results', now, 'This jam is not ranked.')
    if (jam.publishedAt !== null)
      throw jamClosed(jam, 'see_results', now, 'The results are out: they can no longer be held back.')
    await markHeld(tx, jam.uid, true)
    await recordHostAct(tx, user, jam, { text: 'Results are held back until they are published.' })
  },

  /** Results that are not computed yet come out by themselves at the end of the voting. */
  async publish(tx, user, { jam, now }) {
    if (jam.votingEndsAt === null) throw jamClosed(jam, 'see_results', now, 'This jam is not ranked.')
    if (jam.publishedAt !== null) throw jamClosed(jam, 'see_results', now, 'The results are out already.')
    await markHeld(tx, jam.uid, false)
    await recordHostAct(tx, user, jam, { text: 'Results are no longer held back.' })
    if (jam.computedAt === null) return
    await notifyPages(tx, await queries.listGames(tx, jam.uid))
    await publishResults(tx, jam)
  },

  async recount(tx, user, { jam, now }) {
    if (jam.computedAt === null)
      throw jamClosed(
        jam,
        'see_results',
        now,
        'There are no results yet: they are computed when the voting ends.',
      )
    await storeResults(tx, jam)
    await recordHostAct(tx, user, jam, { text: 'Recounted the results.' })
  },
}

export async function changeResults(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  act: ResultAct,
): Promise<ResultsState> {
  return await deps.db.transaction(async (tx) => {
    const access = await lockManagedJam(deps, tx, user, ref)
    const { jam } = access
    await CHANGES[act](tx, user, access)
    return toState(await queries.findState(tx, jam.uid))
  })
}

/** For hosts. */
export async function loadResultsState(
  { db }: Pick<Deps, 'db'>,
  user: WebsiteUser,
  ref: string,
): Promise<ResultsState> {
  const { jam } = await openManagedJam(db, user, ref)
  return toState(jam)
}

function toState(jam: Pick<JamRow, 'resultsHeld' | 'computedAt' | 'publishedAt'>): ResultsState {
  return respond(ResultsState, jam, { held: jam.resultsHeld })
}
