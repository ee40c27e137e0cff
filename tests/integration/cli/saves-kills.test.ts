import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdir, open, readdir, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { packSave } from '../../../src/cli/saves/archive.ts'
import { sha256Hex } from '../../../src/lib/bytes/hash.ts'
import { type InstallStore, startInstallStore } from '../../helpers/cli/install-store.ts'
import { createPlayerMachine, type PlayerMachine, requireDone } from '../../helpers/cli/player.ts'
import { SavesDouble } from '../../helpers/cli/saves-double.ts'
import { randomBytes } from '../../helpers/files/packed-zip.ts'
import { mountDisk } from '../../helpers/processes/disk.ts'

const MIB = 1024 ** 2
const KEY = { SHELF_PLAYER_KEY: 'key of a player' }
const files = (text: string) => ({ 'a.sav': `${text} a`, 'deep/b.sav': `${text} b` })

let store: InstallStore
let saves: SavesDouble
let machine: PlayerMachine
beforeEach(async () => {
  saves = new SavesDouble()
  store = await startInstallStore()
  store.onSaves = saves.handle
  const build = await store.offer({ game: Buffer.from('#!/bin/sh\nexit 0\n') })
  build.launch = { path: 'game' }
  build.saves = { slots: { main: { linux: ['~/.local/share/moss/**'] } } }
  machine = await createPlayerMachine(store.url)
  requireDone(await machine.shelf(['get', 'moss-garden', '--json'], KEY))
})
afterEach(async () => {
  await store.stop()
  await machine.remove()
})

const pack = async (content: Record<string, string | Uint8Array>) =>
  Buffer.from(
    await packSave(Object.entries(content).map(([path, bytes]) => ({ path, bytes: Buffer.from(bytes) }))),
  )

async function writeFiles(folder: string, content: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(content)) await Bun.write(join(folder, name), text)
}
const readTexts = async (folder: string) =>
  Object.fromEntries(
    Object.entries(await machine.read(folder)).map(([name, bytes]) => [name, bytes.toString()]),
  )
const shelf = (env: Record<string, string>, ...args: string[]) =>
  machine.shelf(['saves', ...args, 'moss-garden', '--yes', '--json'], { ...KEY, ...env })

/** Kills shelf when it sends its request of this number, before it is answered or after it was. */
async function killAt(step: string, count: number, when: 'before' | 'after'): Promise<boolean> {
  let requests = 0
  let isKilled = false
  const child = machine.start(['saves', step, 'moss-garden', '--yes', '--json'], KEY)
  const kill = async () => {
    requests += 1
    if (requests !== count) return
    isKilled = true
    child.kill('SIGKILL')
    await child.exited
  }
  saves.onRequest = when === 'before' ? async () => (await kill(), null) : null
  saves.onAnswer = when === 'after' ? async (_, response) => (await kill(), response) : null
  await child.exited
  saves.onRequest = null
  saves.onAnswer = null
  return isKilled
}

test.each(['before', 'after'] as const)(
  'a push that is killed %s any answer leaves the old or the new save',
  async (when) => {
    const folder = join(machine.home, '.local/share/moss')
    const [old, next] = [sha256Hex(await pack(files('old'))), sha256Hex(await pack(files('new')))]
    for (let count = 1; ; count += 1) {
      await writeFiles(folder, files('old'))
      requireDone(await shelf({}, 'push'))
      await writeFiles(folder, files('new'))
      const isKilled = await killAt('push', count, when)
      expect([old, next]).toContain(saves.current('main')?.sha256 ?? '')
      requireDone(await shelf({}, 'push'))
      expect(saves.current('main')?.sha256).toBe(next)
      expect(await readTexts(folder)).toEqual(files('new'))
      if (!isKilled) break
    }
  },
)

test.each(['before', 'after'] as const)(
  'a pull that is killed %s any answer leaves the old or the new save',
  async (when) => {
    const folder = join(machine.home, '.local/share/moss')
    for (let count = 1; ; count += 1) {
      saves.write('main', await pack(files('old')))
      requireDone(await shelf({}, 'pull'))
      saves.write('main', await pack(files('new')))
      const isKilled = await killAt('pull', count, when)
      expect([files('old'), files('new')]).toContainEqual((await readTexts(folder)) as never)
      requireDone(await shelf({}, 'pull'))
      expect(await readTexts(folder)).toEqual(files('new'))
      if (!isKilled) break
    }
  },
)

test('a pull that is killed at any moment leaves the old or the new save, whole, after the next command', async () => {
  const folder = join(machine.home, '.local/share/moss')
  const many = (text: string) =>
    Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`${index}`, text]))
  saves.write('main', await pack(many('old')))
  requireDone(await shelf({}, 'pull'))
  for (let round = 0; round < 8; round += 1) {
    saves.write('main', await pack(many(`new ${round}`)))
    const answered = Promise.withResolvers<void>()
    saves.onAnswer = (request, response) => {
      if (request.url.includes('revision=')) answered.resolve()
      return response
    }
    const child = machine.start(['saves', 'pull', 'moss-garden', '--yes', '--json'], KEY)
    await answered.promise
    await Bun.sleep(round * 8)
    child.kill('SIGKILL')
    await child.exited
    saves.onAnswer = null
    requireDone(await shelf({}, 'pull'))
    expect(await readTexts(folder)).toEqual(many(`new ${round}`))
    expect(await readdir(folder)).not.toContain('.shelf-incoming')
  }
})

/** Only root may mount a disk of its own. */
const disk = await mountDisk(32 * MIB)

describe.skipIf(disk === null)('a full disk', () => {
  const root = disk?.path ?? ''
  const ballast = join(root, 'ballast')
  const folder = join(root, 'moss')
  afterEach(async () => {
    await rm(ballast, { force: true })
    await rm(folder, { recursive: true, force: true })
  })
  afterAll(() => disk?.unmount())

  test('leaves the old save, is told, and the next command brings the new one', async () => {
    const env = { XDG_DATA_HOME: root }
    await mkdir(folder)
    saves.write('main', await pack({ 'a.sav': 'old' }))
    requireDone(await shelf(env, 'pull'))
    const large = randomBytes(8 * MIB)
    saves.write('main', await pack({ 'a.sav': 'new', 'b.sav': large }))
    const { bavail, bsize } = await statfs(root)
    await writeFile(ballast, Buffer.alloc(Math.max(0, bavail * bsize - 2 * MIB)))
    const { code, out } = await shelf(env, 'pull')
    expect([code, out]).toEqual([1, expect.stringContaining('is full')])
    expect(await readTexts(folder)).toEqual({ 'a.sav': 'old' })
    expect(await readdir(folder)).toEqual(['a.sav'])
    await using handle = await open(ballast, 'w')
    await handle.truncate(0)
    requireDone(await shelf(env, 'pull'))
    expect(await machine.read(folder)).toEqual({ 'a.sav': Buffer.from('new'), 'b.sav': large })
  })
})
