import { afterAll, beforeAll, expect, test } from 'bun:test'

import { sql } from 'drizzle-orm'

import { symbols } from '../../../src/db/schema/builds.ts'
import { images } from '../../../src/db/schema/games/game-pages.ts'
import type { DownloadLink } from '../../../src/features/catalog/downloads/model.ts'
import { sha256Hex } from '../../../src/lib/bytes/hash.ts'
import { insertBuild, insertFile, pointChannel } from '../../helpers/builds.ts'
import { makeZip } from '../../helpers/files/zips.ts'
import { readData } from '../../helpers/json.ts'
import { insertGame, insertPublicGame } from '../../helpers/listings.ts'
import { queueScan, runScanNow, startJobs } from '../../helpers/scans.ts'
import { startTestServer, type TestServer } from '../../helpers/server.ts'
import { describeWithStorage, type OwnStorage } from '../../helpers/uploads/own-storage.ts'
import {
  createPipeline,
  makeBytes,
  openSession,
  type Pipeline,
  sendChunk,
} from '../../helpers/uploads/uploads.ts'
import { waitFor } from '../../helpers/wait.ts'

const BYTES = makeBytes(5000)

/** No worker runs beside this server unless a test starts one. */
describeWithStorage('links of deleted files', (createStorage) => {
  let storage: OwnStorage
  let server: TestServer
  let pipeline: Pipeline
  beforeAll(async () => {
    storage = await createStorage()
    server = await startTestServer({ TRUST_PROXY: '1', ...storage.env })
    pipeline = await createPipeline(server)
  })
  afterAll(async () => {
    await server.stop()
    await storage[Symbol.asyncDispose]()
  })

  async function offerFile(gameUid: string) {
    const build = await insertBuild(server, gameUid)
    await pointChannel(server, build)
    const file = await insertFile(server, build)
    await server.deps.objects.put(file.objectKey, BYTES)
    return { build, file }
  }

  /** A link that was just seen to work. */
  async function openLink(gameUid: string, fileUid: string): Promise<string> {
    const path = `/api/v1/private/games/${gameUid}/files/${fileUid}/download`
    const { url } = await readData<DownloadLink>(await pipeline.owner.fetch(path))
    const answer = await fetch(url)
    expect(answer.status).toBe(200)
    await answer.body?.cancel()
    return url
  }

  const statusOf = async (url: string) => {
    const answer = await fetch(url)
    await answer.body?.cancel()
    return answer.status
  }

  test('are dead when the listing is deleted', async () => {
    const game = await insertGame(server, pipeline.owner)
    const { file } = await offerFile(game.uid)
    const link = await openLink(game.uid, file.uid)
    expect((await pipeline.owner.json('DELETE', `/api/v1/private/games/${game.uid}`)).status).toBe(200)
    expect(await statusOf(link)).toBe(404)
  })

  test('are dead when the build is deleted', async () => {
    const game = await insertPublicGame(server, pipeline.owner)
    const { build, file } = await offerFile(game.uid)
    const link = await openLink(game.uid, file.uid)
    const path = `/api/v1/private/games/${game.uid}/builds/${build.uid}`
    expect((await pipeline.owner.json('DELETE', path)).status).toBe(200)
    expect(await statusOf(link)).toBe(404)
  })

  test('are dead when the file is replaced', async () => {
    const game = await insertPublicGame(server, pipeline.owner)
    const { build, file } = await offerFile(game.uid)
    const link = await openLink(game.uid, file.uid)
    const zip = makeZip([{ name: 'game', data: 'a newer game' }])
    const newer = await queueScan(server, build, zip, { filename: file.filename })
    await runScanNow(server, newer.uid)
    expect(await statusOf(link)).toBe(404)
  })

  test('go with everything else that the listing stored, except what others use', async () => {
    const { db, objects } = server.deps
    const doomed = await createPipeline(server)
    const { uid: gameUid } = doomed.game
    const file = await insertFile(server, doomed.build)
    const symbolKey = `symbols/${gameUid}/${crypto.randomUUID()}.sym`
    const facts = { module: 'game', debugId: 'A1', filename: 'game.sym', size: 5000, objectKey: symbolKey }
    await db.insert(symbols).values({ gameUid, buildUid: doomed.build.uid, ...facts })
    const [own, shared] = [crypto.randomUUID(), crypto.randomUUID()].map(
      (seed) => `images/${sha256Hex(seed)}.webp`,
    ) as [string, string]
    const shot = { kind: 'gallery', width: 10, height: 10, size: 5000 } as const
    await db.insert(images).values([
      { ...shot, gameUid, objectKey: own },
      { ...shot, gameUid, objectKey: shared },
      { ...shot, gameUid: pipeline.game.uid, objectKey: shared },
    ])
    for (const key of [file.objectKey, symbolKey, own, shared]) await objects.put(key, BYTES)
    const { session_id } = await openSession(server, doomed, BYTES)
    await sendChunk(server, doomed.key, session_id, BYTES, [0, 1000])

    const jobs = await startJobs(server)
    try {
      expect((await doomed.owner.json('DELETE', `/api/v1/private/games/${gameUid}`)).status).toBe(200)
      for (const key of [file.objectKey, symbolKey, own]) {
        await waitFor(`${key} is gone`, async () => (await objects.head(key)) === null)
      }
      await waitFor('no job is left', async () => (await countUnfinished(server)) === 0)
      expect(await objects.head(shared)).not.toBeNull()
      const later = new Date(Date.now() + 60_000)
      expect(await objects.sweepUploads(later)).toBe(0)
    } finally {
      await jobs.stop()
    }
  })
})

async function countUnfinished(server: TestServer): Promise<number> {
  const [row] = await server.deps.db.execute<{ count: number }>(
    sql`select count(*)::int as count from graphile_worker.jobs where task_identifier = 'storage.delete'`,
  )
  return row?.count ?? 0
}
