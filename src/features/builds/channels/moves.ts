import type { Db, Transaction } from '../../../db/client.ts'
import { type ChannelMove, MAIN_APP, STABLE } from '../../../domain/builds/channels.ts'
import { SYSTEM_NAMES } from '../../../domain/builds/platforms.ts'
import { changelogPath } from '../../../domain/site-urls.ts'
import { PROGRAM_NAME } from '../../../domain/store-settings.ts'
import { AppError } from '../../../errors.ts'
import { createUid } from '../../../lib/ids.ts'
import { recordNotice, recordReleased } from '../../games/notice-events.ts'
import { markEdited, notifyWithNeighbours } from '../../games/service.ts'
import { lockGameRow, lockWholeGame } from '../../games/shared-queries.ts'
import { type BuildRow, findBuild } from '../shared-queries.ts'
import * as queries from './queries.ts'
import { type EarlierBuild, insertNotes, isCleanBuild, type PointerRow, type Slot } from './queries.ts'

interface Move {
  slot: Slot
  from: PointerRow['build'] | undefined
  to: Pick<BuildRow, 'uid' | 'version'>
  kind: ChannelMove
  movedBy: string
  parentUid: string | null
}

/**
 * Called by the scan when a file of the build became clean: moves the build's channel to it if it is newer. A
 * transaction that writes files or builds earlier must lock the game's row first, to avoid deadlocks.
 */
export async function settleChannel(tx: Transaction, buildUid: string, movedBy: string): Promise<void> {
  const known = await findBuild(tx, buildUid)
  if (!known) return
  await lockGameRow(tx, known.gameUid, 'no key update')
  // It may have been deleted while we waited for the lock.
  const build = await findBuild(tx, buildUid)
  if (!build) return
  const slot = slotOf(build, build.channel)
  const current = await queries.findPointer(tx, slot)
  if (current?.build.uid === build.uid) return await notifyWithNeighbours(tx, build.gameUid)
  if (current && !isNewer(build, current.build)) return
  await advance(tx, build, slot, current, 'upload', movedBy)
}

/** The channel's state, if it already points at this build. */
export async function findPromoted(
  tx: Transaction,
  build: BuildRow,
  channel: string,
): Promise<PointerRow | undefined> {
  const current = await queries.findPointer(tx, slotOf(build, channel))
  return current?.build.uid === build.uid ? current : undefined
}

/** Needs the game's lock. Returns the channel's new state. */
export async function promoteBuild(
  tx: Transaction,
  build: BuildRow,
  channel: string,
  movedBy: string,
): Promise<PointerRow> {
  const slot = slotOf(build, channel)
  const current = await queries.findPointer(tx, slot)
  if (current?.build.uid === build.uid) return current
  await requireClean(tx, build)
  await advance(tx, build, slot, current, 'promote', movedBy)
  const moved = await queries.findPointer(tx, slot)
  if (!moved) throw new Error('The channel points nowhere')
  return moved
}

/**
 * Needs the game's lock. Undoes the channel's newest release that has an earlier build, on every platform that shows
 * the same version. Returns the new state of those platforms.
 */
export async function rollBack(
  tx: Transaction,
  appUid: string,
  channel: string,
  movedBy: string,
): Promise<PointerRow[]> {
  const pointers = await queries.listPointersOfChannel(tx, appUid, channel)
  const earlier = await findEarlier(tx, pointers)
  const [newest] = pointers
    .filter(({ pointer }) => earlier.has(pointer.moveUid))
    .toSorted((a, b) => (a.originUid < b.originUid ? 1 : -1))
  if (!newest) {
    throw new AppError('taken', {
      message: `The channel ${channel} cannot be rolled back: it has no earlier build with a clean file.`,
    })
  }
  const moves = pointers.flatMap((current) => {
    const target = earlier.get(current.pointer.moveUid)
    const isSameRelease = current.build.version === newest.build.version
    return target && isSameRelease ? [restore(target, current, 'rollback', movedBy)] : []
  })
  await store(tx, moves)
  await announce(tx, [newest.pointer])
  const moved = new Set(moves.map(({ slot }) => `${slot.os} ${slot.arch}`))
  const now = await queries.listPointersOfChannel(tx, appUid, channel)
  return now.filter(({ pointer }) => moved.has(`${pointer.os} ${pointer.arch}`))
}

/**
 * Needs the game's lock. Call before deleting a build: its channels go back to the previous build, if any.
 */
export async function leaveBuild(tx: Transaction, build: BuildRow): Promise<void> {
  const pointers = await queries.listPointersAt(tx, build.uid)
  const earlier = await findEarlier(tx, pointers)
  const moves: Move[] = []
  const ended: string[] = []
  for (const current of pointers) {
    const target = earlier.get(current.pointer.moveUid)
    const older = target ?? (await findOlder(tx, current.pointer, build))
    if (older) moves.push(restore(older, current, 'fallback', PROGRAM_NAME))
    else ended.push(current.pointer.moveUid)
  }
  await queries.deletePointers(tx, ended)
  await store(tx, moves)
  await announce(
    tx,
    pointers.map(({ pointer }) => pointer),
  )
}

async function findEarlier(
  tx: Transaction,
  pointers: readonly PointerRow[],
): Promise<Map<string, EarlierBuild>> {
  const found = await queries.findEarlierBuilds(
    tx,
    pointers.map(({ pointer }) => pointer.moveUid),
  )
  return new Map(found.map((earlier) => [earlier.moveUid, earlier]))
}

/** Searches builds that never were in the channel's history, because they were not newer than its build. */
async function findOlder(tx: Transaction, slot: Slot, build: BuildRow) {
  const newest = newestBefore(build, await queries.listCleanBuilds(tx, slot, build.uid))
  return newest && { buildUid: newest.uid, version: newest.version, originUid: null }
}

/** Moves the channel on to a build that somebody uploaded or chose. */
async function advance(
  tx: Transaction,
  build: BuildRow,
  slot: Slot,
  current: PointerRow | undefined,
  kind: 'upload' | 'promote',
  movedBy: string,
): Promise<void> {
  const past = slot.channel === STABLE && build.app === MAIN_APP && (await queries.findStablePast(tx, build))
  const isRelease = past && !past.ofBuild
  if (isRelease) await publishNotes(tx, build)
  const parentUid = current?.pointer.moveUid ?? null
  await store(tx, [{ slot, from: current?.build, to: build, kind, movedBy, parentUid }])
  await announce(tx, [slot])
  if (isRelease) await recordRelease(tx, build, { isFirst: !past.ofApp })
}

function restore(
  {
    buildUid,
    version,
    originUid,
  }: Omit<EarlierBuild, 'moveUid' | 'originUid'> & { originUid: string | null },
  current: PointerRow,
  kind: 'rollback' | 'fallback',
  movedBy: string,
): Move {
  const to = { uid: buildUid, version }
  return { slot: current.pointer, from: current.build, to, kind, movedBy, parentUid: originUid }
}

async function store(tx: Transaction, moves: readonly Move[]): Promise<void> {
  await queries.storeMoves(
    tx,
    moves.map(({ slot, from, to, kind, movedBy, parentUid }) => ({
      uid: createUid(),
      ...slotOf(slot, slot.channel),
      kind,
      movedBy,
      parentUid,
      fromBuildUid: from?.uid ?? null,
      fromVersion: from?.version ?? null,
      toBuildUid: to.uid,
      toVersion: to.version,
    })),
  )
}

/** The page shows the stable builds, so it has changed too. */
async function announce(tx: Transaction, slots: readonly Slot[]): Promise<void> {
  const [first] = slots
  if (!first) return
  const isStable = slots.some(({ channel }) => channel === STABLE)
  await (isStable ? markEdited(tx, first.gameUid) : notifyWithNeighbours(tx, first.gameUid))
}

function slotOf({ gameUid, appUid, os, arch }: Omit<Slot, 'channel'>, channel: string): Slot {
  return { gameUid, appUid, channel, os, arch }
}

/** The notes of a build become an entry of the changelog: one for all platforms of a version. */
async function publishNotes(tx: Transaction, build: BuildRow): Promise<void> {
  const { gameUid, version, title, description, changelogItems } = build
  if (changelogItems.length === 0) return
  await insertNotes(tx, {
    gameUid,
    version,
    body: description,
    items: changelogItems,
    title: title.trim() || version,
  })
}

interface Dated {
  uid: string
  version: string
  createdAt: Date
}

/** Compares semantic versions, which count as newer than any other text; equal ones by registration time. */
function isNewer(build: Dated, than: Dated): boolean {
  const order = compareVersionTexts(build.version, than.version)
  if (order !== 0) return order > 0
  const later = build.createdAt.getTime() - than.createdAt.getTime()
  return later === 0 ? build.uid > than.uid : later > 0
}

/** The newest candidate that is not newer than this build. */
function newestBefore<Candidate extends Dated>(
  build: Dated,
  candidates: readonly Candidate[],
): Candidate | undefined {
  return candidates
    .filter((candidate) => !isNewer(candidate, build))
    .reduce<Candidate | undefined>((best, next) => (best && !isNewer(next, best) ? best : next), undefined)
}

export async function requireClean(db: Db, build: BuildRow): Promise<void> {
  if (await isCleanBuild(db, build.uid)) return
  throw new AppError('taken', {
    message: `Build ${build.version} for ${build.os} ${build.arch} cannot be promoted: it needs at least one file, and all its files must be scanned and clean.`,
  })
}

/** Tells the followers of a build that is on stable for the first time, once for each system of a version. */
async function recordRelease(
  tx: Transaction,
  build: BuildRow,
  { isFirst }: { isFirst: boolean },
): Promise<void> {
  const { gameUid, version, os, title, changelogItems } = build
  const game = await lockWholeGame(tx, gameUid)
  if (!game) return
  const text = title.trim()
  await recordNotice(tx, {
    kind: 'release',
    gameUid,
    developerUid: game.ownerUid,
    platforms: [os],
    facts: {
      title: `${version} for ${SYSTEM_NAMES[os]}`,
      version,
      ...(text !== '' && text !== version && { text }),
      ...(changelogItems.length > 0 && { path: changelogPath(game.vanityName) }),
    },
    onceKey: `release ${gameUid} ${os} ${version}`,
  })
  if (isFirst && game.status === 'released') await recordReleased(tx, game)
}

/** Limits the digits, because Bun stores each number in 64 bits. */
const SEMANTIC =
  /^v?(\d{1,19})(?:\.(\d{1,19}))?(?:\.(\d{1,19}))?(-[0-9a-z-]+(?:\.[0-9a-z-]+)*)?(?:\+[0-9a-z-]+(?:\.[0-9a-z-]+)*)?$/i

/**
 * Compares semantic versions; a leading `v` and missing parts are allowed. All other texts count as older
 * than these and as equal to each other.
 */
export function compareVersionTexts(left: string, right: string): number {
  const [a, b] = [complete(left), complete(right)]
  if (a === null || b === null) return Number(a !== null) - Number(b !== null)
  return Bun.semver.order(a, b)
}

/** Fills up to three numbers: Bun would compare a bare `1` as a range. */
function complete(text: string): string | null {
  const match = SEMANTIC.exec(text.trim())
  if (!match) return null
  const [, major = '0', minor = '0', patch = '0', prerelease = ''] = match
  return `${major}.${minor}.${patch}${prerelease}`
}
