import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import type { SaveSlot } from '../../../src/features/saves/slots/model.ts'
import { sha256Hex } from '../../../src/lib/bytes/hash.ts'
import { makeBytes } from '../../contract/object-store-bytes.ts'
import { readFailure } from '../../helpers/json.ts'
import type { GameRow } from '../../helpers/listings.ts'
import { signUp } from '../../helpers/people.ts'
import { type ChildServer, startChild } from '../../helpers/processes/child.ts'
import { mountDisk } from '../../helpers/processes/disk.ts'
import type { TcpProxy } from '../../helpers/processes/tcp-proxy.ts'
import { callSaves, listObjects, newSaveGame, newSavePlayer } from '../../helpers/saves.ts'
import { startTestServer, TEST_SECRET_KEY, type TestServer } from '../../helpers/server.ts'
import { after, reclaimAll, startCutStore } from '../../helpers/uploads/upload-outages.ts'
import { describeEachStorage, S3_MISSING } from '../../helpers/uploads/uploads.ts'

const MIB = 1024 ** 2
const KILLS = 12

describeEachStorage(`a write whose server is killed, ${KILLS} times`, (env) => {
  let server: TestServer
  let game: GameRow
  let child: ChildServer
  beforeAll(async () => {
    server = await startTestServer({ TRUST_PROXY: '1', ...env() })
    game = await newSaveGame(server, await signUp(server))
  })
  afterAll(async () => {
    child.kill('SIGTERM')
    await child.exited
    await server.stop()
  })

  const startProcess = async () =>
    await startChild({
      env: {
        ROLE: 'api',
        TRUST_PROXY: '1',
        DATABASE_URL: server.databaseUrl,
        DATA_DIR: server.dataDir,
        SECRET_KEY: TEST_SECRET_KEY,
        LOG_LEVEL: 'info',
        ...env(),
      },
    })

  test('leaves the old or the new save, whole', async () => {
    const { key, saves } = await newSavePlayer(server, game)
    let current: Pick<SaveSlot, 'revision' | 'sha256'> = await saves.write('main', makeBytes(MIB), null)
    const known = new Map([[current.revision, current.sha256]])
    for (let kill = 0; kill < KILLS; kill += 1) {
      child = await startProcess()
      const { url } = child
      const through = callSaves(
        { fetch: (path, init) => fetch(url + path, { ...init, keepalive: false }) },
        game.uid,
        key,
      )
      const bytes = makeBytes(4 * MIB + kill).subarray(kill)
      const writing = through.put('main', bytes, current.revision).catch(() => null)
      // Each time a little later, from the first byte to the answer.
      await Bun.sleep(kill * 8)
      child.kill('SIGKILL')
      await child.exited
      await writing
      const [slot] = (await saves.list()).slots
      expect([current.sha256, sha256Hex(bytes)]).toContain(slot?.sha256 ?? '')
      const read = await saves.bytes('main')
      expect(sha256Hex(read)).toBe(slot?.sha256 ?? '')
      if (!slot) throw new Error('The save is gone')
      current = slot
      known.set(current.revision, current.sha256)
    }
    for (const [revision, sha256] of known)
      expect(sha256Hex(await saves.bytes('main', revision))).toBe(sha256)
    child = await startProcess()
  })
})

describe.skipIf(S3_MISSING)('an object store that goes away', () => {
  let server: TestServer
  let proxy: TcpProxy
  let stop: () => Promise<void>
  let game: GameRow
  beforeAll(async () => {
    const store = await startCutStore()
    ;({ proxy, server } = store)
    stop = () => store[Symbol.asyncDispose]()
    game = await newSaveGame(server, await signUp(server))
  })
  afterAll(async () => await stop())

  test.each([
    ['before a write', () => true],
    ['in the middle of a write', after(2 * MIB)],
    ['at its last bytes', after(4 * MIB - 1)],
  ])(
    '%s is told as 503/5031, what there was stays, and the same write works once it is back',
    async (_, fits) => {
      const before = await listObjects(server)
      const { saves } = await newSavePlayer(server, game)
      const old = await saves.write('main', makeBytes(MIB), null)
      const bytes = makeBytes(4 * MIB)
      const cut = proxy.cutWhen(fits)
      const failure = await readFailure(await saves.put('main', bytes, old.revision))
      await cut
      expect(failure).toMatchObject({
        status: 503,
        code: 5031,
        message: 'The object store does not answer; try again later.',
      })
      expect(await readFailure(await saves.read('main'))).toMatchObject({ status: 503, code: 5031 })
      const kept = await saves.list()
      expect(kept).toMatchObject({ slots: [{ revision: old.revision }], quota: { used: MIB } })
      expect((await saves.history('main')).total).toBe(1)

      await proxy.restore()
      expect(sha256Hex(await saves.bytes('main'))).toBe(old.sha256)
      await saves.write('main', bytes, old.revision)
      expect(sha256Hex(await saves.bytes('main'))).toBe(sha256Hex(bytes))
      expect(sha256Hex(await saves.bytes('main', old.revision))).toBe(old.sha256)
      await reclaimAll(server)
      expect(await listObjects(server)).toHaveLength(before.length + 2)
    },
  )
})

const DISK_BYTES = 8 * MIB
/** Only root may mount a disk of its own. */
const disk = await mountDisk(DISK_BYTES)

describe.skipIf(disk === null)('a folder whose disk is full', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startTestServer({ TRUST_PROXY: '1', STORAGE_URL: `file:${disk?.path}` })
  })
  afterAll(async () => {
    await server.stop()
    await disk?.unmount()
  })

  test('refuses a save with 507/5071, keeps what there was, and takes it once there is room', async () => {
    const game = await newSaveGame(server, await signUp(server))
    const { saves } = await newSavePlayer(server, game)
    const old = await saves.write('main', makeBytes(MIB), null)
    const ballast = join(disk?.path ?? '', 'ballast')
    await Bun.write(ballast, makeBytes(5 * MIB))
    const bytes = makeBytes(4 * MIB)
    expect(await readFailure(await saves.put('main', bytes, old.revision))).toMatchObject({
      status: 507,
      code: 5071,
    })
    expect(await listObjects(server)).toHaveLength(1)
    expect(sha256Hex(await saves.bytes('main'))).toBe(old.sha256)
    await rm(ballast)
    await saves.write('main', bytes, old.revision)
    expect(sha256Hex(await saves.bytes('main'))).toBe(sha256Hex(bytes))
  })

  test('or that cannot be written any more keeps what there was: 503/5031, until it can', async () => {
    const game = await newSaveGame(server, await signUp(server))
    const { saves } = await newSavePlayer(server, game)
    const old = await saves.write('main', 'old', null)
    await disk?.remount('ro')
    const refused = await readFailure(await saves.put('main', 'new', old.revision))
    expect(refused).toMatchObject({ status: 503, code: 5031 })
    expect(await saves.text('main')).toBe('old')
    expect((await saves.history('main')).total).toBe(1)
    await disk?.remount('rw')
    await saves.write('main', 'new', old.revision)
    expect(await saves.text('main')).toBe('new')
  })
})

test('a clock that is wrong by a day changes no order: revisions are the server’s', async () => {
  const server = await startTestServer({ TRUST_PROXY: '1' })
  try {
    const game = await newSaveGame(server, await signUp(server))
    const { saves } = await newSavePlayer(server, game)
    const yesterday = new Date(Date.now() - 86_400_000).toUTCString()
    const first = await saves.write('main', 'first', null)
    const answer = await saves.put('main', 'second', first.revision, { date: yesterday })
    expect(answer.status).toBe(201)
    expect(await saves.text('main')).toBe('second')
    const [newest] = (await saves.history('main')).items
    expect(newest?.current).toBe(true)
  } finally {
    await server.stop()
  }
})
