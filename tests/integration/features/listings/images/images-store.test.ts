import { beforeAll, describe, expect, test } from 'bun:test'
import { stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'

import { eq, sql } from 'drizzle-orm'

import { openDatabase } from '../../../../../src/db/client.ts'
import { images } from '../../../../../src/db/schema/games/game-pages.ts'
import type { Image } from '../../../../../src/features/listings/images/model.ts'
import { prepareImage, storeImage } from '../../../../../src/features/listings/images/service.ts'
import { reclaimStorage } from '../../../../../src/features/storage/jobs.ts'
import { reclaim } from '../../../../../src/features/storage/reclaim.ts'
import { enqueue } from '../../../../../src/jobs/queue.ts'
import { drawPng, send } from '../../../../helpers/files/pictures.ts'
import { readData, readFailure } from '../../../../helpers/json.ts'
import { insertGame } from '../../../../helpers/listings.ts'
import { type Person, signUp } from '../../../../helpers/people.ts'
import { startTestServer } from '../../../../helpers/server.ts'
import { useStore } from '../../../../helpers/store.ts'
import { createBucket, S3_MISSING } from '../../../../helpers/uploads/uploads.ts'
import { waitFor } from '../../../../helpers/wait.ts'

const never = new AbortController().signal
const LONG_AGO = new Date('2020-01-01')
const DAY_MS = 25 * 60 * 60 * 1000
const nameOf = ({ url }: Image) => new URL(url).pathname.replace('/media/', '')

describe('in a folder', () => {
  const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })
  let owner: Person
  beforeAll(async () => {
    owner = await signUp(server)
  })

  const fileOf = (image: Image) => join(server.dataDir, 'objects', 'images', nameOf(image))
  const age = (image: Image) => utimes(fileOf(image), LONG_AGO, LONG_AGO)
  const isKept = async (image: Image) => (await server.fetch(new URL(image.url).pathname)).status === 200
  async function upload(gameUid: string, kind: string, width: number, height: number): Promise<Image> {
    const path = `/api/v1/private/games/${gameUid}/images/${kind}`
    return await readData<Image>(await send(owner, path, await drawPng(width, height)))
  }

  test('a replaced or removed picture is deleted, unless another page shows it', async () => {
    const game = await insertGame(server, owner)
    const other = await insertGame(server, owner)
    const replaced = await upload(game.uid, 'cover', 40, 40)
    const shared = await upload(game.uid, 'cover', 50, 40)
    await upload(other.uid, 'cover', 50, 40)
    const shown = await upload(game.uid, 'cover', 60, 40)
    const removed = await upload(game.uid, 'gallery', 40, 40)
    const path = `/api/v1/private/games/${game.uid}/images/${removed.uid}`
    expect((await owner.json('DELETE', path)).status).toBe(200)

    await waitFor('the replaced picture is gone', async () => !(await isKept(replaced)))
    await waitFor('the removed picture is gone', async () => !(await isKept(removed)))
    expect(await Promise.all([shared, shown].map(isKept))).toEqual([true, true])
  })

  test('the hourly sweep takes what no row names, and leaves what is new or shown', async () => {
    const game = await insertGame(server, owner)
    const shown = await upload(game.uid, 'cover', 65, 40)
    await age(shown)
    const [old, fresh] = [`images/${'a'.repeat(64)}.webp`, `images/${'b'.repeat(64)}.webp`]
    for (const key of [old, fresh]) await server.deps.objects.put(key, new Uint8Array(10))
    await utimes(join(server.dataDir, 'objects', old), LONG_AGO, LONG_AGO)

    await enqueue(server.deps.db, reclaimStorage, {})
    await waitFor('the old object is gone', async () => !(await server.deps.objects.head(old)))
    expect(await server.deps.objects.head(fresh)).not.toBeNull()
    expect(await isKept(shown)).toBe(true)
  })

  test('a picture is written once, however often it is used', async () => {
    const [game, other] = [await insertGame(server, owner), await insertGame(server, owner)]
    const image = await upload(game.uid, 'gallery', 70, 40)
    await age(image)
    expect((await upload(other.uid, 'gallery', 70, 40)).url).toBe(image.url)
    expect((await stat(fileOf(image))).mtime).toEqual(LONG_AGO)
  })

  test('a picture swept between being written and being shown is written again', async () => {
    const { deps } = server
    const game = await insertGame(server, owner)
    const bytes = await (await drawPng(80, 40)).bytes()
    const prepared = await prepareImage(deps, 'gallery', { bytes, contentType: 'image/png' })
    await reclaim(deps, new Date(Date.now() + DAY_MS), never)
    const image = await deps.db.transaction((tx) => storeImage(deps, tx, game, 'gallery', prepared))
    expect(await isKept(image)).toBe(true)
    await reclaim(deps, new Date(Date.now() + DAY_MS), never)
    expect(await isKept(image)).toBe(true)
  })

  test('the sweep waits for who is about to show an old picture', async () => {
    const { deps } = server
    const game = await insertGame(server, owner)
    const file = { bytes: await (await drawPng(90, 40)).bytes(), contentType: 'image/png' }
    const prepared = await prepareImage(deps, 'gallery', file)
    const path = join(server.dataDir, 'objects', 'images', `${prepared.sha256}.webp`)
    await utimes(path, LONG_AGO, LONG_AGO)
    const waiting = sql`select 1 from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`
    const other = openDatabase(server.databaseUrl, { maxConnections: 1 })
    const { image, sweep } = await other.db.transaction(async (tx) => {
      const image = await storeImage(deps, tx, game, 'gallery', prepared)
      const sweep = reclaim(deps, new Date('2020-02-01'), never)
      await waitFor('the sweep waits', async () => (await deps.db.execute(waiting)).length > 0)
      return { image, sweep: () => sweep }
    })
    expect(await sweep()).toMatchObject({ objects: 0 })
    expect(await isKept(image)).toBe(true)
    await other.dispose()
  })
})

test('a store that does not answer is 503/5031, and nothing is saved', async () => {
  const server = await startTestServer({
    TRUST_PROXY: '1',
    STORAGE_URL: 's3://nowhere?endpoint=http://127.0.0.1:9&region=us-east-1&path_style=true',
    AWS_ACCESS_KEY_ID: 'x',
    AWS_SECRET_ACCESS_KEY: 'x',
  })
  try {
    const owner = await signUp(server)
    const game = await insertGame(server, owner)
    const path = `/api/v1/private/games/${game.uid}/images/cover`
    const failure = await readFailure(await send(owner, path, await drawPng(64, 36)))
    expect(failure).toMatchObject({ status: 503, code: 5031 })
    expect(await server.deps.db.select().from(images).where(eq(images.gameUid, game.uid))).toEqual([])
    const missing = await server.fetch(`/media/${'0'.repeat(64)}.webp`)
    expect(await readFailure(missing)).toMatchObject({ status: 503, code: 5031 })
  } finally {
    await server.stop()
  }
})

test.skipIf(S3_MISSING)('in S3 pictures are kept and served alike', async () => {
  const bucket = await createBucket()
  const server = await startTestServer({ TRUST_PROXY: '1', ...bucket.env })
  try {
    const owner = await signUp(server)
    const game = await insertGame(server, owner)
    const path = `/api/v1/private/games/${game.uid}/images/cover`
    const image = await readData<Image>(await send(owner, path, await drawPng(64, 36)))
    const answer = await server.fetch(new URL(image.url).pathname)
    expect(answer.headers.get('content-type')).toBe('image/webp')
    expect(await new Bun.Image(await answer.arrayBuffer()).metadata()).toMatchObject({
      width: 1280,
      height: 720,
    })
    await server.deps.objects.delete(`images/${nameOf(image)}`)
    expect((await server.fetch(new URL(image.url).pathname)).status).toBe(404)
  } finally {
    await server.stop()
    await bucket.remove()
  }
})
