import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { chmod, mkdir, open, readdir, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'

import { listSessions } from '../../src/features/builds/uploads/sessions.ts'
import { sha256Hex } from '../../src/lib/bytes/hash.ts'
import { readPush, type ShelfWorld, startShelfWorld, writeRandomFiles } from '../helpers/cli/shelf.ts'
import { describeOnS3, type Pipeline, type StorageEnv } from '../helpers/uploads/uploads.ts'
import { waitFor } from '../helpers/wait.ts'

const MIB = 1024 ** 2
const PLATFORM = ['--os', 'linux', '--arch', 'x86_64']
const push = (folder: string, version: string, ...more: string[]) => [
  'push',
  folder,
  ...PLATFORM,
  '--version',
  version,
  '--json',
  ...more,
]

let world: ShelfWorld
let pipeline: Pipeline

/** A store for the tests of a suite; each of them has a new game. */
function useShelfWorld(env: StorageEnv): void {
  beforeAll(async () => {
    world = await startShelfWorld(env())
  })
  afterAll(async () => await world.stop())
  beforeEach(async () => {
    pipeline = await world.createGame()
  })
}

// That copying and resuming give the same bytes on each storage is shown at the API:
// uploads-copy.test.ts, and tests/faults/uploads.
describe('shelf push', () => {
  useShelfWorld(() => ({}))

  const spooled = () => readdir(join(world.cache, 'shelf/push')).catch(() => [])

  test('uploads a folder with spaces, unicode, links and programs; the same again is skipped', async () => {
    const folder = await world.folder('game')
    await mkdir(join(folder, 'Daten für alle/leer'), { recursive: true })
    await Bun.write(join(folder, 'Daten für alle/ünï 🎮.txt'), 'hello '.repeat(1000))
    await Bun.write(join(folder, 'game.x86_64'), '#!/bin/sh\n')
    await chmod(join(folder, 'game.x86_64'), 0o755)
    await symlink('game.x86_64', join(folder, 'start'))
    await Bun.write(join(folder, '.shelfignore'), '*.tmp\n')
    await Bun.write(join(folder, 'left-out.tmp'), 'x')
    const [built] = await readPush(world.shelf(pipeline, push(folder, '1.0.0', '--wait')))
    expect(built).toMatchObject({ skipped: false, scan: 'clean' })
    expect(built?.sent_bytes).toBe(built?.size)

    const status = JSON.parse((await world.shelf(pipeline, ['status', '--json']).result).out)
    expect(status).toMatchObject({ build_id: built?.build_id, version: '1.0.0', os: 'linux' })
    expect(status.files[0]).toMatchObject({ filename: 'linux-x86_64.zip', checksum: built?.checksum })
    const [again] = await readPush(world.shelf(pipeline, push(folder, '1.0.1', '--if-changed')))
    expect(again).toMatchObject({ skipped: true, build_id: null, sent_bytes: 0, checksum: built?.checksum })
    const listed = JSON.parse((await world.shelf(pipeline, ['builds', '--json']).result).out)
    expect(listed.builds.map((build: { version: string }) => build.version)).not.toContain('1.0.1')
    expect(await spooled()).toEqual([])
  })

  test('sends only what changed, and ends with the bytes of a full push', async () => {
    const folder = await world.folder('large')
    const sizes = Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`data-${index}.pck`, MIB]))
    await writeRandomFiles(folder, { ...sizes, 'scenes.pck': 10 * MIB })
    const [first] = await readPush(world.shelf(pipeline, push(folder, '1.0.0', '--wait')))
    expect(first?.sent_bytes).toBe(first?.size)
    await writeRandomFiles(folder, { 'data-12.pck': MIB })
    await using scenes = await open(join(folder, 'scenes.pck'), 'r+')
    await scenes.write(Buffer.alloc(1000, 'changed'), 0, 1000, 5 * MIB + 5)
    const [second] = await readPush(world.shelf(pipeline, push(folder, '1.1.0', '--wait')))
    expect(second?.scan).toBe('clean')
    expect(second?.sent_bytes).toBeLessThan(4 * MIB)

    const [full] = await readPush(world.shelf(await world.createGame(), push(folder, '1.1.0', '--wait')))
    expect(full?.sent_bytes).toBe(full?.size)
    expect(full).toMatchObject({ checksum: second?.checksum, scan: 'clean' })
  })

  test('sends about an insertion at the start of a large file, also from another machine', async () => {
    const folder = await world.folder('inserted')
    await writeRandomFiles(folder, { 'scenes.pck': 16 * MIB })
    await readPush(world.shelf(pipeline, push(folder, '1.0.0', '--wait')))
    const path = join(folder, 'scenes.pck')
    await Bun.write(path, Buffer.concat([Buffer.alloc(1000, 'new'), await Bun.file(path).bytes()]))
    await rm(world.cache, { recursive: true, force: true })
    const [second] = await readPush(world.shelf(pipeline, push(folder, '1.1.0', '--wait')))
    expect(second?.scan).toBe('clean')
    expect(second?.sent_bytes).toBeLessThan((second?.size ?? 0) * 0.05)
  })
})

describeOnS3('a push of 66 MB, more than one request takes', (env) => {
  useShelfWorld(env)
  let folder: string
  /** Slow enough to be interrupted on a busy machine, too. */
  const slow = ['--limit-rate', '10MB', '--chunk-size', '4MB']
  beforeAll(async () => {
    folder = await world.folder('resumed')
    await writeRandomFiles(folder, { 'a.pck': 33 * MIB, 'b.pck': 33 * MIB })
  })

  const sending = (process: { notes(): string }) =>
    waitFor('it is sending', () => process.notes().includes('sending'), 60_000)

  /** The store has so much of it. */
  async function hasReached(bytes: number): Promise<void> {
    const hasEnough = async () => {
      const [session] = await listSessions(world.server.deps, pipeline.game.uid)
      return session && session.current_size >= bytes
    }
    await waitFor(`the store has ${bytes} bytes`, hasEnough, 60_000)
  }

  test('continues after the uploader was killed', async () => {
    const killed = world.shelf(pipeline, push(folder, '1.0.0', ...slow))
    await sending(killed)
    await hasReached(20 * MIB)
    killed.kill('SIGKILL')
    await killed.result
    const [built] = await readPush(world.shelf(pipeline, push(folder, '1.0.0', '--wait')))
    expect(built).toMatchObject({ scan: 'clean' })
    expect(built?.sent_bytes).toBeLessThan((built?.size ?? 0) - 8 * MIB)
  })

  test('continues after Ctrl-C, which ends with 130 and says how', async () => {
    const stopped = world.shelf(pipeline, push(folder, '1.0.0', ...slow))
    await sending(stopped)
    await hasReached(20 * MIB)
    stopped.kill('SIGINT')
    const { code, out, err } = await stopped.result
    expect(code).toBe(130)
    expect(JSON.parse(out)).toMatchObject({ error: { exit: 130 } })
    expect(err).toContain('same command')
    const [built] = await readPush(world.shelf(pipeline, push(folder, '1.0.0')))
    expect(built?.sent_bytes).toBeLessThan(built?.size ?? 0)
  })

  test('that is zipped already is not read before it is sent, and continues after both sides were killed', async () => {
    const zip = join(folder, '../resumed.zip')
    await writeRandomFiles(join(folder, '..'), { 'resumed.zip': 66 * MIB })
    const killed = world.shelf(pipeline, push(zip, '1.0.0', ...slow))
    await sending(killed)
    await hasReached(20 * MIB)
    killed.kill('SIGKILL')
    await killed.result
    const resumed = world.shelf(pipeline, push(zip, '1.0.0', ...slow))
    await sending(resumed)
    await hasReached(32 * MIB)
    await world.killStore()
    await world.startStore()
    const [built] = await readPush(resumed)
    expect(killed.notes() + resumed.notes()).not.toContain('reading')
    expect(built).toMatchObject({ checksum: sha256Hex(await Bun.file(zip).bytes()), size: 66 * MIB })
    expect(built?.sent_bytes).toBeLessThan(62 * MIB)
  })

  test('survives a killed store and a cut line', async () => {
    const running = world.shelf(pipeline, push(folder, '1.0.0', '--wait', ...slow))
    await sending(running)
    await hasReached(12 * MIB)
    await world.killStore()
    await world.startStore()
    expect(await readPush(running)).toMatchObject([{ scan: 'clean' }])

    const cut = world.shelf(await world.createGame(), push(folder, '1.0.0', ...slow))
    await sending(cut)
    await world.proxy.cutWhen((bytes) => bytes.length > 1000)
    await Bun.sleep(1000)
    await world.proxy.restore()
    expect(await readPush(cut)).toMatchObject([{ skipped: false }])
  })
})
