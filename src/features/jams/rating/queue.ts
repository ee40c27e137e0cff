import type { Deps } from '../../../deps.ts'
import { seesAdult, type WebsiteUser } from '../../../domain/actor.ts'
import { OPERATING_SYSTEMS, type OperatingSystem } from '../../../domain/builds/platforms.ts'
import { findBallotRefusal } from '../../../domain/jams/rating.ts'
import { mediaUrl } from '../../../domain/site-urls.ts'
import { clamp } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import { dayOf } from '../../../lib/time.ts'
import { recordFailedLaunch } from '../../telemetry/health/launches.ts'
import { type JamAccess, openJam } from '../access.ts'
import { listPinnedFiles } from '../shared-queries.ts'
import { OwnStanding, type Queue, type QueueItem } from './model.ts'
import * as queries from './queries.ts'
import * as queue from './queue-queries.ts'
import { findBallot, requireVoter, requireVoting, toRating } from './service.ts'

type Services = Pick<Deps, 'db' | 'config'>

const QUEUE_DEFAULT = 10
const QUEUE_MAX = 20
const PHONES: ReadonlySet<OperatingSystem> = new Set(['android', 'ios'])

export interface QueueWish {
  /** What the voter's device runs; null: everything. */
  systems: readonly OperatingSystem[] | null
  limit: number
}

/** Browsers are everywhere, so `os=linux` also offers what runs in one. */
export function parseQueueWish(query: { os?: string | undefined; limit?: string | undefined }): QueueWish {
  const named = new Set((query.os ?? '').split(',').map((text) => text.trim()))
  const systems = OPERATING_SYSTEMS.filter((os) => named.has(os))
  return {
    systems: systems.length === 0 ? null : [...new Set<OperatingSystem>([...systems, 'web'])],
    limit: clamp(query.limit, QUEUE_DEFAULT, 1, QUEUE_MAX),
  }
}

/** What the voter can rate next. */
export async function loadQueue(
  deps: Services,
  user: WebsiteUser,
  ref: string,
  wish: QueueWish,
): Promise<Queue> {
  const access = await openJam(deps.db, user, ref)
  requireVoting(access)
  await requireVoter(deps.db, user, access)
  const { jam } = access
  const of = { jamUid: jam.uid, userUid: user.userUid }
  const [entries, counts, own] = await Promise.all([
    listEntries(deps, user, access, wish),
    queue.countQueue(deps.db, of),
    queue.listOwnStandings(deps.db, jam.uid, user.userUid, jam.minRatings),
  ])
  return {
    items: await describeEntries(deps, user, access, entries),
    ...counts,
    own: own.map(toStanding),
  }
}

/** On a phone what runs in the browser goes first. */
async function listEntries(
  { db }: Services,
  user: WebsiteUser,
  { jam, now }: JamAccess,
  { systems, limit }: QueueWish,
): Promise<queue.QueuedEntry[]> {
  const wanted = {
    jamUid: jam.uid,
    userUid: user.userUid,
    minRatings: jam.minRatings,
    seesAdult: seesAdult(user),
    seed: seedOf(`${user.userUid} ${dayOf(now.getTime())}`),
    limit,
  }
  const isPhone = systems !== null && systems.some((os) => PHONES.has(os))
  if (!isPhone) return await queue.listQueue(db, { ...wanted, systems })
  const inBrowser = await queue.listQueue(db, { ...wanted, systems: ['web'] })
  if (inBrowser.length >= limit) return inBrowser
  const known = new Set(inBrowser.map(({ entryUid }) => entryUid))
  const others = await queue.listQueue(db, { ...wanted, systems })
  return [...inBrowser, ...others.filter(({ entryUid }) => !known.has(entryUid))].slice(0, limit)
}

function seedOf(text: string): string {
  return BigInt.asIntN(64, Bun.hash.xxHash3(text)).toString()
}

async function describeEntries(
  { db, config }: Services,
  user: WebsiteUser,
  { jam }: Pick<JamAccess, 'jam'>,
  entries: readonly queue.QueuedEntry[],
): Promise<QueueItem[]> {
  if (entries.length === 0) return []
  const uids = entries.map(({ entryUid }) => entryUid)
  const [games, files] = await Promise.all([
    queue.listQueuedGames(db, uids, user.userUid),
    listPinnedFiles(db, uids),
  ])
  const rows = new Map(games.map((row) => [row.entryUid, row]))
  const filesOf = Map.groupBy(files, (file) => file.entry_uid)
  return entries.flatMap(({ entryUid, isSkipped }) => {
    const row = rows.get(entryUid)
    if (!row) return []
    const { uid, vanityName, name, tagline, developer, coverKey, adult } = row
    const facts = {
      ...row,
      isWithdrawn: false,
      isTakenDown: false,
      isDisqualified: false,
      isAdult: adult,
      isOwn: false,
    }
    return [
      {
        game: {
          uid,
          vanity_name: vanityName,
          name,
          tagline,
          developer,
          cover: coverKey && mediaUrl(config.baseUrl, coverKey),
          adult,
        },
        note: row.note,
        files: (filesOf.get(entryUid) ?? []).map(({ file_uid, os, version, is_playable }) => ({
          file_uid,
          os,
          version,
          playable: is_playable,
        })),
        received: row.received,
        played_seconds: row.playedSeconds,
        refusal: findBallotRefusal(facts, { mustPlay: jam.mustPlay, seesAdult: seesAdult(user) }),
        skipped: isSkipped,
        rating: null,
      },
    ]
  })
}

/** One entry as the queue shows it, also one that was rated, skipped or cannot be rated. */
export async function loadQueueItem(
  deps: Services,
  user: WebsiteUser,
  ref: string,
  gameRef: string,
): Promise<QueueItem> {
  const access = await openJam(deps.db, user, ref)
  requireVoting(access)
  const { entry, refusal } = await findBallot(deps.db, user, access, gameRef)
  const [item] = await describeEntries(deps, user, access, [{ entryUid: entry.entryUid, isSkipped: false }])
  if (!item) throw new Error('The entry was found, but not its listing')
  const { rating } = entry
  return {
    ...item,
    refusal,
    rating: rating && toRating(access.jam, entry.gameUid, rating),
  }
}

function toStanding(row: queue.StandingRow): OwnStanding {
  return respond(OwnStanding, row, { game: respond(OwnStanding.properties.game, row) })
}

export type QueueMark = 'skip' | 'cannot_run'

/**
 * Skipped entries come last. Those that cannot be run are not offered again; for the launch health of their build they
 * are a device on which it did not start.
 */
export async function markEntry(
  deps: Services,
  user: WebsiteUser,
  ref: string,
  gameRef: string,
  mark: QueueMark,
  systems: readonly OperatingSystem[] | null,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const access = await openJam(tx, user, ref)
    requireVoting(access)
    const { entry } = await findBallot(tx, user, access, gameRef)
    await queries.markVisit(tx, entry.entryUid, user.userUid, mark === 'skip' ? 'skipped' : 'cannot_run')
    if (mark === 'skip') return
    const build = await queries.findTriedBuild(tx, entry.entryUid, systems ?? [])
    if (build) await recordFailedLaunch(tx, build.buildUid, user.userUid, Date.now())
  })
}
