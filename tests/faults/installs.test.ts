import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { chmod, chown, mkdir, open, rm, statfs, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { type InstallStore, startInstallStore } from '../helpers/cli/install-store.ts'
import { createPlayerMachine, type PlayerMachine, requireDone } from '../helpers/cli/player.ts'
import { randomBytes } from '../helpers/files/packed-zip.ts'
import { mountDisk } from '../helpers/processes/disk.ts'

const MIB = 1024 ** 2
const NOBODY = 65_534
const OLD = {
  game: Buffer.from('#!/bin/sh\nexit 3\n'),
  data: randomBytes(2 * MIB),
}
const NEW = { ...OLD, data: randomBytes(16 * MIB) }

let store: InstallStore
beforeEach(async () => {
  store = await startInstallStore()
})
afterEach(() => store.stop())

async function offer(contents: Record<string, Uint8Array>, version: string) {
  const build = await store.offer(contents, version)
  build.launch = { path: 'game' }
  store.sent = 0
  return build
}

/** Only root may mount a disk of its own. */
const disk = await mountDisk(32 * MIB)

describe.skipIf(disk === null)('a disk', () => {
  const root = disk?.path ?? ''
  const [folder, ballast] = [join(root, 'game'), join(root, 'ballast')]
  let player: PlayerMachine
  beforeEach(async () => {
    player = await createPlayerMachine(store.url)
    await offer(OLD, '1')
    requireDone(await player.shelf(['get', 'moss-garden', '--into', folder, '--json']))
    await chmod(join(folder, 'game'), 0o755)
  })
  afterEach(async () => {
    await player.remove()
    await rm(folder, { recursive: true })
    await rm(ballast, { force: true })
  })
  afterAll(() => disk?.unmount())

  const update = () => player.shelf(['update', folder, '--json'])
  const leave = async (free: number) => {
    const { bavail, bsize } = await statfs(root)
    await writeFile(ballast, Buffer.alloc(bavail * bsize - free))
  }
  /** Whatever others write at the same time. */
  const fill = async () => {
    await using handle = await open(ballast, 'w')
    const piece = Buffer.alloc(64 * 1024)
    while (await handle.write(piece).catch(() => null));
  }
  const expectOldVersion = async () => {
    expect(await player.read(folder)).toEqual(OLD)
    expect((await player.shelf(['verify', folder])).code).toBe(0)
    expect((await player.shelf(['run', folder])).code).toBe(3)
  }

  test('that has too little room is told of before the first byte', async () => {
    await offer(NEW, '2')
    await leave(8 * MIB)
    const { code, err } = await update()
    expect([code, err]).toEqual([1, expect.stringMatching(/There is no room in .*: 16\.\d MB are needed/)])
    expect(store.sent).toBe(0)
    await expectOldVersion()
  })

  test('that others fill in the middle leaves the old version, and nothing is fetched twice', async () => {
    const { zip } = await offer(NEW, '2')
    let requests = 0
    store.onRange = async (_, bytes) => {
      requests += 1
      // Four connections: two requests are done when the sixth comes.
      if (requests === 6) await fill()
      return bytes
    }
    const { code, err } = await update()
    expect([code, err]).toEqual([1, expect.stringContaining(`The disk of ${folder} is full.`)])
    await expectOldVersion()
    await rm(ballast)
    store.sent = 0
    expect(requireDone(await update())).toMatchObject({ updates: [{ version: '2' }] })
    expect(store.sent).toBeLessThan(zip.length - 3.5 * MIB)
    expect(await player.read(folder)).toEqual(NEW)
  })

  test('that is read-only is told of; the game still starts and can be checked', async () => {
    await offer(NEW, '2')
    await disk?.remount('ro')
    try {
      const { code, err } = await update()
      expect([code, err]).toEqual([7, expect.stringContaining(`${folder} cannot be written to.`)])
      await expectOldVersion()
    } finally {
      await disk?.remount('rw')
    }
    expect(requireDone(await update())).toMatchObject({ updates: [{ version: '2' }] })
  })
})

/** Permissions mean nothing to root. */
const isRoot = process.getuid?.() === 0
const asNobody = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--']
const before = isRoot ? asNobody : []

describe.skipIf(isRoot && Bun.which('setpriv') === null)('a folder without permission to write', () => {
  let player: PlayerMachine
  beforeEach(async () => {
    player = await createPlayerMachine(store.url, before)
    if (isRoot) for (const path of [dirname(player.home), player.home]) await chown(path, NOBODY, NOBODY)
    await offer(OLD, '1')
  })
  afterEach(() => player.remove())

  test('is refused with what to do', async () => {
    const closed = join(player.home, 'closed')
    await mkdir(closed, { mode: 0o555 })
    for (const into of [closed, join(closed, 'game')]) {
      const { code, err } = await player.shelf(['get', 'moss-garden', '--into', into])
      expect([code, err]).toEqual([7, expect.stringContaining(`${into} cannot be written to.`)])
      expect(err).toContain('choose another folder with --into')
    }
    expect(store.sent).toBe(0)
  })

  test('of an installation keeps its version; the game still starts and can be checked', async () => {
    const folder = join(player.home, 'game')
    requireDone(await player.shelf(['get', 'moss-garden', '--into', folder, '--json']))
    await chmod(join(folder, 'game'), 0o555)
    await offer(NEW, '2')
    for (const path of [join(folder, '.shelf'), folder]) await chmod(path, 0o555)
    const { code, err } = await player.shelf(['update', folder])
    expect([code, err]).toEqual([7, expect.stringContaining(`${folder} cannot be written to.`)])
    expect(await player.read(folder)).toEqual(OLD)
    expect((await player.shelf(['run', folder])).code).toBe(3)
    expect((await player.shelf(['verify', folder])).code).toBe(0)
    for (const path of [folder, join(folder, '.shelf')]) await chmod(path, 0o755)
    requireDone(await player.shelf(['update', folder, '--json']))
    expect(await player.read(folder)).toEqual(NEW)
  })
})
