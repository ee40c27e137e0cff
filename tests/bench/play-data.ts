import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import type { ObjectStore } from '../../src/clients/objects/object-store.ts'
import { openDatabase } from '../../src/db/client.ts'
import { users } from '../../src/db/schema/accounts.ts'
import {
  apps,
  builds,
  channelMoves,
  channelPointers,
  fileEntries,
  files,
} from '../../src/db/schema/builds.ts'
import { games } from '../../src/db/schema/games/games.ts'
import { recordPlaces } from '../../src/features/builds/contents/record.ts'
import { sha256Hex } from '../../src/lib/bytes/hash.ts'
import { createUid } from '../../src/lib/ids.ts'
import { makeZip, type ZipPart } from '../helpers/files/zips.ts'

export const SMALL_FILES = 200
const SMALL_BYTES = 24 * 1024
export const LARGE_BYTES = 60 * 1024 ** 2
const STORED_BYTES = 35 * 1024 ** 2

/** About 100 MB: many small files, a large one that is deflated and one that is stored. */
export function makeGame(): (ZipPart & { name: string; data: Uint8Array })[] {
  return [
    { name: 'index.html', data: Buffer.from('<!doctype html><title>Game</title>'.repeat(50)) },
    ...Array.from({ length: SMALL_FILES }, (_, at) => ({
      name: `assets/${at}.json`,
      data: halfRandom(SMALL_BYTES),
    })),
    { name: 'game.wasm', data: halfRandom(LARGE_BYTES) },
    { name: 'game.pck', data: halfRandom(STORED_BYTES), method: 0 },
  ]
}

/** Deflates to about half. */
function halfRandom(size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  for (let at = 0; at < size; at += 65_536)
    crypto.getRandomValues(bytes.subarray(at, Math.min(size, at + 32_768)))
  return bytes
}

/** The same files unpacked, each with its compressed copy. */
export async function unpackGame(parts: ReturnType<typeof makeGame>, root: string): Promise<void> {
  for (const { name, data } of parts) {
    const path = join(root, name)
    await mkdir(dirname(path), { recursive: true })
    await Bun.write(path, data)
    if (!name.endsWith('.pck')) await Bun.write(`${path}.gz`, Bun.gzipSync(Buffer.from(data)))
  }
}

/** A free public game whose stable build is this one. Returns its uid. */
export async function insertGame(
  databaseUrl: string,
  objects: ObjectStore,
  parts: ReturnType<typeof makeGame>,
): Promise<string> {
  const database = openDatabase(databaseUrl, { maxConnections: 1 })
  const [ownerUid, gameUid, appUid] = [createUid(), createUid(), createUid()]
  const [buildUid, fileUid, moveUid] = [createUid(), createUid(), createUid()]
  const username = ownerUid.slice(-12)
  const slot = { gameUid, appUid, channel: 'stable', os: 'web', arch: 'wasm32' } as const
  const zip = makeZip(parts)
  const objectKey = `builds/${gameUid}/${fileUid}.zip`
  await objects.put(objectKey, zip)
  try {
    await database.db.transaction(async (tx) => {
      await tx
        .insert(users)
        .values({ id: ownerUid, name: 'Bench', email: `${username}@bench.example`, username })
      const listing = { uid: gameUid, ownerUid, name: 'Lighthouse', vanityName: `lighthouse-${username}` }
      await tx.insert(games).values({ ...listing, assetType: 'game', visibility: 'public' })
      await tx.insert(apps).values({ uid: appUid, gameUid, slug: 'main', name: 'Lighthouse' })
      await tx.insert(builds).values({ uid: buildUid, ...slot, version: '1.0.0', buildType: 'game' })
      const file = { uid: fileUid, gameUid, buildUid, filename: 'game.zip', size: zip.length, objectKey }
      const state = { scan: 'clean', source: 'website', entryPage: 'index.html' } as const
      await tx.insert(files).values({ ...file, ...state, checksum: sha256Hex(zip) })
      await tx.insert(fileEntries).values(
        parts.map(({ name, data }) => ({
          fileUid,
          path: name,
          size: data.length,
          sha256: sha256Hex(data),
        })),
      )
      const move = { uid: moveUid, kind: 'upload', toVersion: '1.0.0', movedBy: 'Playshelf' } as const
      await tx.insert(channelMoves).values({ ...slot, ...move, toBuildUid: buildUid })
      await tx.insert(channelPointers).values({ ...slot, buildUid, moveUid })
    })
    await recordPlaces({ db: database.db, objects }, fileUid, new AbortController().signal)
    return gameUid
  } finally {
    await database.dispose()
  }
}
