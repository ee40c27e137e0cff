import type { Db, Transaction } from '../../db/client.ts'
import { notify } from '../../db/notify/notify.ts'
import type { Deps } from '../../deps.ts'
import type { Actor, WebsiteUser } from '../../domain/actor.ts'
import { lacksFactor, requireConfirmed, secondFactorNeeded } from '../../domain/confirmation.ts'
import {
  computeOpening,
  computeState,
  isOpenFor,
  JAM_CHANGES_SHOWN,
  type JamAct,
  type JamState,
} from '../../domain/jams.ts'
import { AppError } from '../../errors.ts'
import { recordAct } from '../audit/service.ts'
import { settingsOf } from '../settings/reader.ts'
import * as queries from './shared-queries.ts'

export type JamRow = queries.JamRow

export interface JamAccess {
  jam: JamRow
  /** By the clock of the database. */
  now: Date
  state: JamState
  /** Operators are hosts of a jam that has no others. */
  isHost: boolean
  isNamedHost: boolean
  isJudge: boolean
  hasJoined: boolean
  /** Whether the person may edit it: hosts, and operators. */
  mayManage: boolean
}

/**
 * The only place that decides who sees a jam. Drafts are seen by hosts and operators, and everyone else gets the same
 * error as for a jam that does not exist. `ref` is a slug or a uid.
 */
export async function openJam(db: Db, actor: Actor | null, ref: string): Promise<JamAccess> {
  return admit(actor, await queries.findJam(db, ref, userOf(actor)))
}

/**
 * The same, and locks the jam until the transaction ends: `share` so that nobody moves it meanwhile, `update` to
 * change it.
 */
export async function lockJam(
  tx: Transaction,
  actor: Actor | null,
  ref: string,
  strength: 'share' | 'update',
): Promise<JamAccess> {
  return admit(actor, await queries.lockJam(tx, ref, userOf(actor), strength))
}

/** For pages and lists that only those see who run the jam. */
export async function openManagedJam(db: Db, actor: Actor, ref: string): Promise<JamAccess> {
  return requireManager(await openJam(db, actor, ref))
}

/** For host acts. Operators who are no hosts need what they need to run the store. */
export async function lockManagedJam(
  deps: Deps,
  tx: Transaction,
  actor: WebsiteUser,
  ref: string,
): Promise<JamAccess> {
  const access = requireManager(await lockJam(tx, actor, ref, 'update'))
  requireOwnPower(deps, actor, access)
  return access
}

/** The same without a lock, for a permission that is checked before a body is read. */
export async function requireHost(deps: Deps, actor: WebsiteUser, ref: string): Promise<JamAccess> {
  const access = await openManagedJam(deps.db, actor, ref)
  requireOwnPower(deps, actor, access)
  return access
}

function requireManager(access: JamAccess): JamAccess {
  if (!access.mayManage)
    throw new AppError('forbidden', { message: 'Only the hosts of this jam can do this.' })
  return access
}

function requireOwnPower(deps: Deps, actor: WebsiteUser, { isNamedHost }: JamAccess): void {
  if (isNamedHost) return
  const { baseUrl } = deps.config
  const policy = settingsOf(deps).storefront().settings.second_factor
  if (lacksFactor(policy, actor)) throw secondFactorNeeded(baseUrl)
  requireConfirmed(actor, baseUrl)
}

function userOf(actor: Actor | null): string | null {
  return actor && 'userUid' in actor ? actor.userUid : null
}

function admit(actor: Actor | null, found: queries.FoundJam | undefined): JamAccess {
  if (!found) throw new AppError('not_found')
  const { jam, now, isJudge, hasJoined, hasHosts } = found
  // Keys and tokens of a host only do what everyone can.
  const isHost = found.isHost && actor?.kind === 'user'
  const isOperator = actor?.kind === 'user' && actor.isOperator
  const mayManage = isHost || isOperator
  if (jam.visibility === 'draft' && !mayManage) throw new AppError('not_found')
  return {
    jam,
    now,
    state: computeState(jam, now),
    isHost: isHost || (isOperator && !hasHosts),
    isNamedHost: isHost,
    isJudge,
    hasJoined,
    mayManage,
  }
}

const CLOSED: Readonly<Record<JamAct, readonly [before: string, after: string]>> = {
  edit: ['The jam has started.', 'The jam has started.'],
  join: ['This jam is over.', 'This jam is over.'],
  submit: ['This jam has not started.', 'This jam has ended: entries are closed.'],
  rate: ['Voting has not started.', 'Voting has ended.'],
  see_results: ['The results are not out yet.', 'The results are not out yet.'],
}

/** Throws 4121 with the state and when it opens and closes, unless the jam is at the time for it. */
export function requireOpen(jam: JamRow, act: JamAct, now: Date, message?: string): void {
  if (isOpenFor(jam, act, now)) return
  throw jamClosed(jam, act, now, message)
}

export function jamClosed(jam: JamRow, act: JamAct, now: Date, message?: string): AppError {
  const { opensAt, closesAt } = computeOpening(jam, act)
  const [before, after] = CLOSED[act]
  const isOver = closesAt !== null && now >= closesAt
  return new AppError('jam_closed', {
    message: message ?? (isOver ? after : before),
    data: {
      state: computeState(jam, now),
      opens_at: opensAt?.toISOString() ?? null,
      closes_at: closesAt?.toISOString() ?? null,
    },
  })
}

/** Nobody but hosts sees a hidden theme before the start. */
export function seesTheme({ jam, state, isHost }: Pick<JamAccess, 'jam' | 'state' | 'isHost'>): boolean {
  return isHost || !jam.themeHidden || state !== 'coming'
}

/** Notifies every process that a jam changed: its uid. */
export const JAMS_CHANGED = 'jams_changed'

/** Call it in the transaction of whatever changes what pages show of a jam. */
export async function markJamChanged(tx: Transaction, uid: string): Promise<void> {
  await notify(tx, JAMS_CHANGED, uid)
}

interface HostAct {
  act?: 'create_jam' | 'change_jam' | 'delete_jam'
  /** What was done and why, as a sentence for the audit log. */
  text?: string
  /** The line that the page of the jam shows under Changes; absent: none. */
  listed?: string
}

/** Writes what a host did into the audit log, and what concerns everyone into the changes of the jam. */
export async function recordHostAct(
  tx: Transaction,
  { userUid, username }: Pick<WebsiteUser, 'userUid' | 'username'>,
  jam: Pick<queries.JamRow, 'uid' | 'title'>,
  { act = 'change_jam', text, listed }: HostAct,
): Promise<void> {
  const reason = text ?? listed
  await recordAct(
    tx,
    { userUid, username },
    { act, subject: 'jam', id: jam.uid, name: jam.title, ...(reason !== undefined && { reason }) },
  )
  if (listed !== undefined) await queries.insertChange(tx, jam.uid, listed)
}

interface JamChange {
  text: string
  createdAt: Date
}

/** The newest first. */
export async function listChanges(db: Db, jamUid: string): Promise<JamChange[]> {
  return await queries.listChanges(db, jamUid, JAM_CHANGES_SHOWN)
}

/** As lines under Changes tell times. */
export function tellTime(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
