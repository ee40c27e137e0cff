import type { Transaction } from '../../../db/client.ts'
import { clockOf } from '../../../db/clock.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { isOpenFor, NOTE_MAX } from '../../../domain/jams.ts'
import { checkEntry, ENTRY_FAULT_TEXTS, type EntryFault } from '../../../domain/jams/entries.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { createSemaphore } from '../../../lib/flow/semaphore.ts'
import { respond } from '../../../lib/respond.ts'
import { countCharacters } from '../../../lib/text/characters.ts'
import { plural } from '../../../lib/text/show.ts'
import { type GameRow, openGame } from '../../games/service.ts'
import { type JamAccess, jamClosed, type JamRow, lockJam, openJam } from '../access.ts'
import { useCode } from '../codes/service.ts'
import { insertChange, listPinnedFiles, type PinnedFile } from '../shared-queries.ts'
import { EntryFile, type EntryInput, type EntryState } from './model.ts'
import { pinEntries } from './pins.ts'
import * as queries from './queries.ts'

/** How many entries of a process are written at once; the others wait here, not for connections of the database. */
const WRITES_MAX = 3
/** What a process writes in much less time than this; beyond, it says so instead of keeping people waiting. */
const WAIT_MAX_MS = 60_000
const writes = createSemaphore(WRITES_MAX)

/** Who enters: a person, or one whose program was allowed to. */
export interface Entrant {
  userUid: string
  /** Null for a program, which sees what everyone sees. */
  actor: WebsiteUser | null
}

/** `arrivedAt` is when the request reached this process, by `performance.now()`: the deadline compares it. */
export async function submitEntry(
  deps: Deps,
  user: WebsiteUser,
  jamRef: string,
  gameRef: string,
  input: EntryInput,
  arrivedAt: number,
): Promise<EntryState> {
  const arrival = await clockOf(deps.db).toDatabaseTime(arrivedAt)
  requireNote(input.note)
  using held = new DisposableStack()
  held.use(await takeTurn())
  const { jam, game } = await deps.db.transaction(async (tx) => {
    const { game: found } = await openGame(tx, user, gameRef, 'edit')
    const entered = await enter(tx, { userUid: user.userUid, actor: user }, jamRef, found, input, arrival)
    return { jam: entered, game: found }
  })
  return await toState(deps, jam, game.uid, await clockOf(deps.db).toDatabaseTime(performance.now()))
}

async function takeTurn(): Promise<Disposable> {
  return await writes.acquire(1, AbortSignal.timeout(WAIT_MAX_MS)).catch(() => {
    throw new AppError('service_down', {
      message: 'Too many people enter at this moment. Send it again.',
      headers: { 'retry-after': '5' },
    })
  })
}

/** Enters the listing or changes its note, and fixes its version at once where those of the jam are fixed. */
export async function enter(
  tx: Transaction,
  { userUid, actor }: Entrant,
  jamRef: string,
  game: GameRow,
  { note = '', code }: EntryInput,
  arrival: Date,
): Promise<JamRow> {
  const access = await lockJam(tx, actor, jamRef, 'share')
  const { jam } = access
  const late = !isOpenFor(jam, 'submit', arrival)
  if (late) {
    const known = await queries.findEntry(tx, jam.uid, game.uid)
    const isIn = known !== undefined && known.withdrawnAt === null
    // The answer to the first request may have been lost.
    if (isIn && known.late && known.note === note && code !== undefined) return jam
    if (isIn || arrival < jam.endsAt || !code?.trim()) throw jamClosed(jam, 'submit', arrival)
    requireVoting(jam, arrival)
    await useCode(tx, jam.uid, userUid, code, { isLate: true })
    await insertChange(tx, jam.uid, `${game.name} was entered with a late link.`)
  }
  await requireMembership(tx, access, userUid, late)
  await requireFit(tx, jam, game)
  const values = { jamUid: jam.uid, gameUid: game.uid, userUid, note, submittedAt: arrival, late }
  const entry = await queries.upsertEntry(tx, { ...values, most: jam.entriesPerPerson })
  if (!entry) {
    const most = plural(jam.entriesPerPerson, 'entry', 'entries')
    throw new AppError('taken', {
      message: `This jam takes ${most} of one person, and you have ${jam.entriesPerPerson === 1 ? 'one' : 'as many'}. Withdraw one first.`,
    })
  }
  if (jam.pinnedAt !== null) await pinEntries(tx, [entry.uid])
  return jam
}

/** Late entries are for voters, too. */
function requireVoting(jam: JamRow, arrival: Date): void {
  const closesAt = jam.votingEndsAt
  if (closesAt !== null && arrival >= closesAt) throw jamClosed(jam, 'submit', arrival)
}

/** Whoever enters an open jam joins it; an invited one has to be joined before. A late link is enough. */
async function requireMembership(
  tx: Transaction,
  { jam, isHost, isJudge }: JamAccess,
  userUid: string,
  late: boolean,
): Promise<void> {
  if (jam.entry === 'open' || late || isHost || isJudge)
    return await queries.joinAndLock(tx, jam.uid, userUid)
  if (await queries.lockMember(tx, jam.uid, userUid)) return
  throw new AppError('forbidden', { message: 'This jam is by invitation. Join it with your code first.' })
}

async function requireFit(tx: Transaction, jam: JamRow, { uid }: GameRow): Promise<void> {
  const facts = (await queries.listEntryFacts(tx, [uid])).get(uid)
  const missing = facts ? checkEntry(facts, jam) : []
  if (missing.length === 0) return
  throw new AppError('entry_unfit', { message: describeMissing(missing), data: { missing } })
}

export function describeMissing(missing: readonly EntryFault[]): string {
  return missing.map((fault) => ENTRY_FAULT_TEXTS[fault]).join(' ')
}

export function requireNote(note: string | undefined): void {
  if (countCharacters(note ?? '') > NOTE_MAX)
    throw invalidField('note', `must have at most ${NOTE_MAX} characters.`)
}

/** Before the end it can be entered again; after it, the entry is out for good, and its files can be deleted. */
export async function withdrawEntry(
  deps: Deps,
  user: WebsiteUser,
  jamRef: string,
  gameRef: string,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const { game } = await openGame(tx, user, gameRef, 'edit')
    const { jam, state } = await lockJam(tx, user, jamRef, 'share')
    if (!(await queries.withdrawEntry(tx, jam.uid, game.uid))) throw new AppError('not_found')
    if (state === 'voting' || state === 'past') {
      await insertChange(tx, jam.uid, `${game.name} was taken out by its team.`)
    }
  })
}

export async function getEntryState(
  deps: Deps,
  user: WebsiteUser,
  jamRef: string,
  gameRef: string,
): Promise<EntryState> {
  const { game } = await openGame(deps.db, user, gameRef, 'edit')
  const { jam, now } = await openJam(deps.db, user, jamRef)
  return await toState(deps, jam, game.uid, now)
}

async function toState({ db }: Deps, jam: JamRow, gameUid: string, now: Date): Promise<EntryState> {
  const [entry, facts] = await Promise.all([
    queries.findEntry(db, jam.uid, gameUid),
    queries.listEntryFacts(db, [gameUid]),
  ])
  const files = entry && jam.pinnedAt ? await listPinnedFiles(db, [entry.uid]) : []
  return describeState(jam, gameUid, { entry, facts: facts.get(gameUid), files, now })
}

interface StateParts {
  entry: queries.EntryRow | undefined
  facts: Parameters<typeof checkEntry>[0] | undefined
  files: readonly PinnedFile[]
  now: Date
}

export function describeState(
  jam: JamRow,
  gameUid: string,
  { entry, facts, files, now }: StateParts,
): EntryState {
  const isIn = entry !== undefined && entry.withdrawnAt === null
  return {
    jam: { uid: jam.uid, slug: jam.slug, title: jam.title },
    game_uid: gameUid,
    entered: isIn,
    note: isIn ? entry.note : '',
    submitted_at: isIn ? entry.submittedAt.toISOString() : null,
    late: isIn && entry.late,
    disqualified: isIn ? entry.disqualifiedFor : null,
    missing: facts ? checkEntry(facts, jam) : [],
    open: isOpenFor(jam, 'submit', now),
    opens_at: jam.startsAt.toISOString(),
    closes_at: jam.endsAt.toISOString(),
    pinned_at: jam.pinnedAt?.toISOString() ?? null,
    files: files.map(toFile),
  }
}

export function toFile(file: PinnedFile): EntryFile {
  return respond(EntryFile, file, {
    build_id: file.build_id,
    file_uid: file.file_uid,
    playable: file.is_playable,
    arch: file.arch as EntryFile['arch'],
  })
}
