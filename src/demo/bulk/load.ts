import type { Transaction } from '../../db/client.ts'
import { notify } from '../../db/notify/notify.ts'
import type { Deps } from '../../deps.ts'
import { REBUILD_KEY, rebuildSearch } from '../../features/catalog/search/jobs.ts'
import { requestReindex } from '../../features/catalog/search/reindex.ts'
import { ALL_GAMES, GAME_CHANGED } from '../../features/games/service.ts'
import { enqueue } from '../../jobs/queue.ts'
import { isSliceOver, nextSlice } from '../../lib/flow/loop-slices.ts'
import { createRandom } from '../../lib/random.ts'
import { DEMO_NAMES } from '../data.ts'
import * as queries from '../queries.ts'
import { seededUid } from '../queries.ts'
import { type BulkListing, type BulkOwner, inventListing } from './listing.ts'

const BATCH = 2000
const OWNER_EMAILS = 'bulk-%@demo.example'
const LOCK = 'demo listings'

type PicturesByKind = ReadonlyMap<string, readonly queries.SharedPicture[]>

/**
 * Adds generated listings for benchmarks up to `count`, with the pictures of the demo pages. Continues after
 * an interrupted load. Returns the number of new listings.
 */
export async function loadBulkCatalog(
  deps: Deps,
  count: number,
  onProgress: (progress: { done: number; total: number }) => void,
): Promise<number> {
  const shared = await queries.listSharedPictures(deps.db, DEMO_NAMES)
  if (shared.length === 0) throw new Error('The pictures are those of the demo catalog: load it first.')
  const pictures = Map.groupBy(shared, ({ kind }) => kind)
  const today = new Date(new Date().toISOString().slice(0, 10))
  return await deps.database.withLock(LOCK, async () => {
    const first = await queries.findNextBulkNumber(deps.db, OWNER_EMAILS)
    const addPictures = (batch: readonly BulkListing[]) =>
      deps.db.transaction((tx) => insertPictures(tx, batch, pictures))
    // An interrupted load may have added listings without their pictures.
    let pictured = addPictures(await inventBatch(Math.max(0, first - BATCH), first, today))
    let next = inventBatch(first, count, today)
    try {
      for (let done = first; done < count;) {
        onProgress({ done, total: count })
        const batch = await next
        done += batch.length
        // The next batch is generated while this one is written.
        next = inventBatch(done, count, today)
        await deps.db.transaction((tx) => insertBatch(tx, batch))
        await pictured
        // On another connection, while the next listings are written.
        pictured = addPictures(batch)
        pictured.catch(() => undefined)
      }
    } finally {
      // The lock is kept until then, so that the next load does not add the same pictures.
      await Promise.allSettled([pictured])
    }
    await pictured
    if (first >= count) return 0
    onProgress({ done: count, total: count })
    await queries.analyzeTables(deps.db)
    await enqueue(deps.db, rebuildSearch, {}, { key: REBUILD_KEY })
    return count - first
  })
}

async function inventBatch(first: number, count: number, today: Date): Promise<BulkListing[]> {
  const batch: BulkListing[] = []
  for (let number = first; number < Math.min(first + BATCH, count); number += 1) {
    if (isSliceOver()) await nextSlice()
    batch.push(inventListing(number, today))
  }
  return batch
}

/** The listings are indexed by the server, or by `reindex`. */
async function insertBatch(tx: Transaction, batch: readonly BulkListing[]): Promise<void> {
  const owners = new Map(batch.map(({ owner }) => [owner.number, owner]))
  await queries.insertBulkOwners(tx, [...owners.values()].map(ownerRow))
  const rows = batch.map(({ row }) => row)
  const parents = rows.flatMap(({ parentUid }) => parentUid ?? [])
  const known = new Set([...(await queries.findGames(tx, parents)), ...rows.flatMap(({ uid }) => uid ?? [])])
  await queries.insertGames(
    tx,
    rows.map((row) => (row.parentUid && !known.has(row.parentUid) ? { ...row, parentUid: null } : row)),
  )
  await notify(tx, GAME_CHANGED, ALL_GAMES)
  await requestReindex(tx, rows[0]?.uid)
}

async function insertPictures(
  tx: Transaction,
  batch: readonly BulkListing[],
  pictures: PicturesByKind,
): Promise<void> {
  const rows = batch.map(({ row }) => row)
  const pictured = await queries.findPictured(
    tx,
    rows.flatMap(({ uid }) => uid ?? []),
  )
  const missing = rows.filter(({ uid = '' }) => !pictured.has(uid))
  await queries.insertImages(
    tx,
    missing.flatMap((row) => imageRows(row, pictures)),
  )
}

function ownerRow({ uid, number }: BulkOwner): queries.UserValues {
  const username = `bulk-${number}`
  const name = `Studio ${number}`
  return {
    id: uid,
    name,
    email: `${username}@demo.example`,
    emailVerified: true,
    username,
    developerMode: true,
  }
}

/** Adds a cover to every page and a thumbnail to most. */
function imageRows({ uid = '', createdAt = new Date() }: queries.GameValues, pictures: PicturesByKind) {
  const random = createRandom(`pictures ${uid}`)
  const kinds = random.chance(0.8) ? (['cover', 'thumbnail'] as const) : (['cover'] as const)
  return kinds.map((wanted) => {
    const { kind, objectKey, width, height, size } = random.pick(pictures.get(wanted) ?? [])
    return {
      uid: seededUid(createdAt, random),
      gameUid: uid,
      kind,
      objectKey,
      width,
      height,
      size,
      position: 0,
      createdAt,
    }
  })
}
