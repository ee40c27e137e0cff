import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { sha256Hex } from '../../../src/lib/bytes/hash.ts'
import { insertBuild, issueDeployKey } from '../../helpers/builds.ts'
import { isHaproxyInstalled } from '../../helpers/engines/haproxy.ts'
import { makeZip } from '../../helpers/files/zips.ts'
import { readData } from '../../helpers/json.ts'
import { insertGame } from '../../helpers/listings.ts'
import { type Person, signUp } from '../../helpers/people.ts'
import { createTempDir } from '../../helpers/processes/child.ts'
import { findFile, waitForScan } from '../../helpers/scans.ts'
import { resume } from '../../helpers/uploads/upload-outages.ts'
import {
  makeBytes,
  openSession,
  type Pipeline,
  S3_MISSING,
  startChunk,
  type UploadedFile,
  waitForWriter,
} from '../../helpers/uploads/uploads.ts'
import { PROMPT_MS, waitFor } from '../../helpers/wait.ts'
import { type Change, CHANGES, publish, type World } from './changes.ts'
import { type Crash, type Fleet, type MemberName, MEMBERS, startFleet } from './fleet.ts'
import { type LoadFailure, type LoadReport, startLoad } from './load.ts'
import { buildNextVersion, NEXT_VERSION } from './next-version.ts'

const isMissing = !isHaproxyInstalled() || S3_MISSING || !process.env.TEST_REDIS_URL
const UPLOADS = 4

describe.skipIf(isMissing && process.env.REQUIRE_ENGINES !== '1')('many processes behind a balancer', () => {
  let fleet: Fleet
  let owner: Person
  let world: World
  beforeAll(async () => {
    fleet = await startFleet()
    owner = await signUp(fleet.front)
    world = { fleet, owner }
  })
  afterAll(async () => await fleet?.[Symbol.asyncDispose]())

  /** Runs `work` while visitors and developers use the store through the balancer. */
  async function underLoad(work: () => Promise<void>): Promise<LoadReport> {
    const games = [await publish(world), await publish(world)]
    const answer = await owner.json('POST', '/api/v1/private/player-keys', { label: 'Load' })
    const { key } = await readData<{ key: string }>(answer)
    const load = startLoad(fleet.front, { owner, games, player: { authorization: `Bearer ${key}` } })
    try {
      await work()
    } catch (error) {
      await load.stop()
      throw error
    }
    return await load.stop()
  }

  const directions = Object.keys(CHANGES).flatMap((what) =>
    (['api1', 'api2'] as const).map((name) => [what, name] as const),
  )
  test.each(directions)(
    '%s that is changed through %s is changed for all within a second',
    async (what, name) => {
      const change = await CHANGES[what]?.(world)
      if (!change) throw new Error(`No change is called ${what}`)
      for (const reader of change.readers) await expectSoon(reader, change, 'before')
      await change.make(fleet.at(name))
      await Promise.all(change.readers.map((reader) => expectSoon(reader, change, 'after')))
    },
  )

  async function expectSoon(reader: MemberName, change: Change, state: 'before' | 'after'): Promise<void> {
    const since = performance.now()
    for (;;) {
      const askedAt = performance.now()
      const seen = await change.read(fleet.at(reader))
      if (Bun.deepEquals(seen, change[state])) return
      if (askedAt - since > PROMPT_MS) expect({ reader, seen }).toEqual({ reader, seen: change[state] })
      await Bun.sleep(20)
    }
  }

  test('one that is killed takes only its requests in flight with it', async () => {
    const crashes: Crash[] = []
    const report = await underLoad(async () => {
      for (const name of MEMBERS) {
        const uploads = name.startsWith('upload') ? await beginUploads() : null
        await Bun.sleep(500)
        crashes.push(await fleet.crash(name))
        if (uploads) await finishUploads(uploads)
        if (name === 'worker') await expectScanAfter(() => fleet.start('worker'))
        else await Bun.sleep(1000).then(() => fleet.start(name))
      }
    })
    expect(report.stale).toEqual([])
    expect(report.requests).toBeGreaterThan(100)
    const wasInFlight = ({ startedAt, endedAt }: LoadFailure) =>
      crashes.some(({ killedAt, goneAt }) => startedAt <= goneAt && endedAt >= killedAt)
    expect(report.failures.filter((failure) => !wasInFlight(failure))).toEqual([])
  })

  const beginUploads = () => Promise.all(Array.from({ length: UPLOADS }, () => beginUpload(world)))

  /** Those on the other process go on; those on the killed one are resumed there. */
  async function finishUploads(uploads: readonly Sending[]): Promise<void> {
    const statuses = await Promise.all(uploads.map((upload) => upload.finish()))
    expect(statuses.filter((status) => status === 202).length).toBeWithin(1, UPLOADS)
    await Promise.all(uploads.map((upload) => expectToArrive(world, upload)))
  }

  async function expectScanAfter(start: () => Promise<void>): Promise<void> {
    const upload = await beginUpload(world)
    expect(await upload.finish()).toBe(202)
    const uid = await expectToArrive(world, upload)
    expect((await findFile(fleet.server, uid))?.scan).toBe('scanning')
    await start()
    expect((await waitForScan(fleet.server, uid)).scan).toBe('clean')
  }

  test('the next version replaces them one by one without a failed request', async () => {
    const dir = await createTempDir('next-version')
    const command = await buildNextVersion(dir.path)
    const report = await underLoad(async () => {
      for (const name of MEMBERS) {
        const uploads = name.startsWith('upload') ? await beginUploads() : []
        const stopped = fleet.stop(name)
        const statuses = await Promise.all(uploads.map((upload) => upload.finish()))
        expect(statuses.filter((status) => status !== 202)).toEqual([])
        expect(await stopped).toBe(0)
        await fleet.start(name, command)
        expect(await fleet.version(name)).toBe(NEXT_VERSION)
        await Promise.all(uploads.map((upload) => expectToArrive(world, upload)))
      }
    })
    await dir.remove()
    expect(report.stale).toEqual([])
    expect(report.requests).toBeGreaterThan(100)
    expect(report.failures).toEqual([])
  })
})

const SIZE = 3 * 1024 * 1024

/** One file on its way through the balancer: half of it is announced, a quarter of it sent. */
interface Sending {
  pipeline: Pipeline
  bytes: Uint8Array
  sessionId: string
  /** Sends the rest of the first half; resolves with the status, or null for a broken connection. */
  finish(): Promise<number | null>
}

async function beginUpload({ fleet: { server, front }, owner }: World): Promise<Sending> {
  const game = await insertGame(server, owner)
  const build = await insertBuild(server, game.uid)
  const pipeline = { owner, game, build, key: await issueDeployKey(server, game.uid) }
  const bytes = makeZip([{ name: 'game.bin', data: makeBytes(SIZE), method: 0 }])
  const { session_id: sessionId } = await openSession(front, pipeline, bytes)
  const [quarter, half] = [bytes.length >> 2, bytes.length >> 1]
  const chunk = startChunk(front, pipeline.key, sessionId, [0, half, bytes.length])
  chunk.push(bytes.subarray(0, quarter))
  await waitForWriter(server, sessionId)
  return {
    pipeline,
    bytes,
    sessionId,
    async finish() {
      chunk.push(bytes.subarray(quarter, half))
      chunk.close()
      return await chunk.answer.then(
        ({ status }) => status,
        () => null,
      )
    },
  }
}

/** Sends what is missing and expects the whole file in the store. Returns its uid. */
async function expectToArrive(
  { fleet: { server, front } }: World,
  { pipeline, bytes, sessionId }: Sending,
): Promise<string> {
  const answer = await waitFor('the upload arrives', async () => {
    const sent = await resume(front, pipeline, sessionId, bytes)
    // For a moment the process that was killed may still count as the writer.
    if (sent.status !== 409) expect(sent.status).toBe(201)
    return sent.status === 201 && sent
  })
  const { file_uid } = await readData<UploadedFile>(answer)
  const file = await findFile(server, file_uid)
  expect(file).toMatchObject({ size: bytes.length, checksum: sha256Hex(bytes) })
  const { stream } = await server.deps.objects.get(file?.objectKey ?? '')
  expect(sha256Hex(await Bun.readableStreamToBytes(stream))).toBe(sha256Hex(bytes))
  return file_uid
}
