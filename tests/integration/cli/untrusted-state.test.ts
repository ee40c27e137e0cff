import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { link, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { constants, crc32, deflateRawSync } from 'node:zlib'

import { type InstallRecord, statePaths } from '../../../src/cli/install/record.ts'
import { sha256Hex } from '../../../src/lib/bytes/hash.ts'
import { type InstallStore, startInstallStore } from '../../helpers/cli/install-store.ts'
import { createPlayerMachine, type PlayerMachine, requireDone } from '../../helpers/cli/player.ts'
import { watchPeakMemory } from '../../helpers/processes/process-stats.ts'

const GAME = { readme: Buffer.from('version 1'), 'data/a': Buffer.from('a') }
const NEXT = { readme: Buffer.from('version 2'), 'data/a': Buffer.from('a'), more: Buffer.from('more') }
const MIB = 1024 ** 2

let store: InstallStore
let player: PlayerMachine
let folder: string
/** Files of the player that belong to no game. */
let outside: string
beforeEach(async () => {
  store = await startInstallStore()
  player = await createPlayerMachine(store.url)
  folder = join(player.home, 'Games/moss-garden')
  outside = join(player.home, 'Games/letters')
  await store.offer(GAME)
  requireDone(await player.shelf(['get', 'moss-garden', '--json']))
  await Bun.write(join(outside, 'letter'), 'mine')
})
afterEach(async () => {
  await store.stop()
  await player.remove()
})

const state = () => statePaths(folder)
const readRecordFile = async (): Promise<InstallRecord> => await Bun.file(state().record).json()
const expectUntouched = async () => {
  expect(await readdir(outside)).toEqual(['letter'])
  expect(await readFile(join(outside, 'letter'), 'utf8')).toBe('mine')
}

test('a journal that names files outside is not followed by any command', async () => {
  const removes = [{ path: '../letters/letter', is_mine: false }]
  await Bun.write(state().journal, JSON.stringify({ format: 1, places: [], removes }))
  await store.offer(NEXT, '2')
  const listed = await player.shelf(['list'])
  expect([listed.code, listed.err]).toEqual([0, expect.stringMatching(/journal\.json .*Remove the folder/s)])
  const refused = await player.shelf(['update', folder])
  expect([refused.code, refused.err]).toEqual([7, expect.stringContaining('Remove ')])
  await expectUntouched()
  // As the message says.
  await rm(state().next, { recursive: true })
  expect((await player.shelf(['verify', folder])).code).toBe(0)
})

test('a record that names files outside deletes and overwrites nothing there', async () => {
  const record = await readRecordFile()
  const file = {
    path: '../letters/letter',
    size: 4,
    sha256: sha256Hex('mine'),
    executable: false,
    modified_at: 0,
  }
  await Bun.write(state().record, JSON.stringify({ ...record, files: [...record.files, file] }))
  await store.offer(NEXT, '2')
  for (const args of [
    ['remove', folder, '--yes'],
    ['update', folder],
    ['verify', folder, '--repair'],
  ]) {
    const refused = await player.shelf(args)
    expect([args, refused.code, refused.err]).toEqual([args, 7, expect.stringContaining('letters/letter')])
    await expectUntouched()
  }
})

describe('links in the folder of shelf', () => {
  test.each([
    ['for staged files', () => state().staged],
    ['for spools', () => state().spools],
    ['for the next version', () => state().next],
  ])('%s empty no other folder', async (_, path) => {
    await mkdir(state().next, { recursive: true })
    await rm(path(), { recursive: true, force: true })
    await symlink(outside, path())
    await store.offer(NEXT, '2')
    const refused = await player.shelf(['update', folder])
    expect([refused.code, refused.err]).toEqual([7, expect.stringContaining('is a link')])
    await expectUntouched()
    await rm(path())
    expect((await player.shelf(['update', folder])).code).toBe(0)
  })

  test('instead of the folder itself are refused, also by remove', async () => {
    await rename(state().state, join(folder, 'elsewhere'))
    await mkdir(join(outside, 'next'))
    await Bun.write(join(outside, 'next/kept'), 'mine')
    await symlink(outside, state().state)
    for (const command of [['remove', '--yes'], ['update'], ['run'], ['verify', '--repair']]) {
      const [name = '', ...more] = command
      const refused = await player.shelf([name, folder, ...more])
      expect([name, refused.code]).toEqual([name, 7])
    }
    expect(await readdir(join(outside, 'next'))).toEqual(['kept'])
  })

  test('instead of files are not written through, neither soft nor hard', async () => {
    const letter = join(outside, 'letter')
    await symlink(letter, `${state().record}.new`)
    await mkdir(state().staged, { recursive: true })
    const [first] = Object.values(NEXT)
    await link(letter, join(state().staged, sha256Hex(first ?? '')))
    await symlink(letter, join(state().staged, sha256Hex('more')))
    await store.offer(NEXT, '2')
    expect((await player.shelf(['update', folder])).code).toBe(0)
    expect(await readFile(join(folder, 'more'), 'utf8')).toBe('more')
    await expectUntouched()
    for (const path of [state().running, state().lock]) {
      await rm(path)
      await symlink(letter, path)
      expect((await player.shelf(['run', folder])).code).toBe(7)
      await rm(path)
      await Bun.write(path, 'no lock '.repeat(100))
    }
    const damaged = await player.shelf(['remove', folder, '--yes'])
    expect([damaged.code, damaged.err]).toEqual([7, expect.stringContaining('lock is damaged')])
    await expectUntouched()
  })
})

/** A valid gzip of so many times 16 MiB, made without having them. */
function packZeros(count: number): Buffer {
  const zeros = Buffer.alloc(16 * MIB)
  const block = deflateRawSync(zeros, { finishFlush: constants.Z_FULL_FLUSH })
  const end = Buffer.alloc(8)
  const blocks = Array.from({ length: count }, () => block)
  end.writeUInt32LE(blocks.reduce((sum) => crc32(zeros, sum), 0))
  end.writeUInt32LE(count * zeros.length, 4)
  const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])
  return Buffer.concat([header, ...blocks, deflateRawSync(Buffer.alloc(0)), end])
}

describe('a store', () => {
  test('cannot choose by the name of a file where its bytes are kept', async () => {
    const build = await store.offer(NEXT, '2')
    store.onContents = () =>
      Response.json({ success: false, error: { code: 5031, message: 'Not yet.' } }, { status: 503 })
    build.fileUid = 'x/../../../../letters'
    requireDone(await player.shelf(['update', folder, '--json']))
    await expectUntouched()
  })

  test('cannot fill the memory by a small answer', async () => {
    const bomb = packZeros(48)
    const evil = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => new Response(bomb, { headers: { 'content-encoding': 'gzip' } }),
    })
    try {
      const child = player.start(['get', 'moss-garden', '--into', join(player.home, 'x')], {
        SHELF_SERVER: `http://127.0.0.1:${evil.port}`,
      })
      const [err, code, peak] = await Promise.all([
        child.stderr.text(),
        child.exited,
        watchPeakMemory(child.pid, child.exited),
      ])
      expect([code, err]).toEqual([4, expect.stringContaining('larger than')])
      expect(peak).toBeGreaterThan(10)
      expect(peak).toBeLessThan(400)
    } finally {
      await evil.stop(true)
    }
  })
})
