import type { Transaction } from '../../db/client.ts'
import type { Deps } from '../../deps.ts'
import { ALL_GAMES, notifyChange } from '../../features/games/service.ts'
import { createRandom } from '../../lib/random.ts'
import { DEMO_NAMES } from '../listings/all.ts'
import * as queries from '../queries.ts'
import { seededUid } from '../uids.ts'
import { type BulkListing, type BulkOwner, inventListing } from './listing.ts'

const BATCH = 2000
const OWNER_EMAILS = 'bulk-%@demo.example'

/**
 * Adds generated listings for benchmarks up to `count`, with the pictures of the demo pages. Returns the
 * number of new ones.
 */
export async function loadBulkCatalog(
  deps: Deps,
  count: number,
  progress: (loaded: number) => void,
): Promise<number> {
  const pictures = await queries.listSharedPictures(deps.db, DEMO_NAMES)
  if (pictures.length === 0) throw new Error('The pictures are those of the demo catalog: load it first.')
  const today = new Date(new Date().toISOString().slice(0, 10))
  let added = 0
  for (;;) {
    const loaded = await deps.db.transaction(async (tx) => {
      await queries.lockDemo(tx)
      const first = await queries.findNextBulkNumber(tx, OWNER_EMAILS)
      const size = Math.max(0, Math.min(BATCH, count - first))
      const batch = Array.from({ length: size }, (_, offset) => inventListing(first + offset, today))
      if (size > 0) await insertBatch(tx, batch, pictures)
      added += size
      return first + size
    })
    if (loaded >= count) break
    progress(loaded)
  }
  if (added === 0) return 0
  await queries.analyzeTables(deps.db)
  await deps.db.transaction((tx) => notifyChange(tx, ALL_GAMES))
  return added
}

async function insertBatch(
  tx: Transaction,
  batch: readonly BulkListing[],
  pictures: readonly queries.SharedPicture[],
): Promise<void> {
  const owners = new Map(batch.map(({ owner }) => [owner.number, owner]))
  await queries.insertBulkOwners(tx, [...owners.values()].map(ownerRow))
  const rows = batch.map(({ row }) => row)
  const parents = rows.flatMap(({ parentUid }) => parentUid ?? [])
  const known = new Set([...(await queries.findGames(tx, parents)), ...rows.flatMap(({ uid }) => uid ?? [])])
  await queries.insertGames(
    tx,
    rows.map((row) => (row.parentUid && !known.has(row.parentUid) ? { ...row, parentUid: null } : row)),
  )
  await queries.insertImages(
    tx,
    rows.flatMap((row) => imageRows(row, pictures)),
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
function imageRows(
  { uid = '', createdAt = new Date() }: queries.GameValues,
  pictures: readonly queries.SharedPicture[],
) {
  const random = createRandom(`pictures ${uid}`)
  const kinds = random.chance(0.8) ? (['cover', 'thumbnail'] as const) : (['cover'] as const)
  return kinds.map((wanted) => {
    const { kind, objectKey, width, height, size } = random.pick(
      pictures.filter(({ kind }) => kind === wanted),
    )
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
