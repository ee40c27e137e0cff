import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createFolderStore } from '../../../../src/clients/objects/folder/folder.ts'
import type { ObjectStore } from '../../../../src/clients/objects/object-store.ts'
import type { PlayedEntry } from '../../../../src/features/play/files/directory.ts'
import { createKeptEntries, type KeptEntries } from '../../../../src/features/play/files/kept-entries.ts'
import { waitFor } from '../../../helpers/wait.ts'

const KEY = 'builds/game.zip'
const SIZE = 1000
const OBJECT = crypto.getRandomValues(new Uint8Array(20 * SIZE))

const entryAt = (at: number): PlayedEntry => ({
  path: `${at}.pck`,
  size: SIZE,
  packed: SIZE,
  dataAt: at * SIZE,
  crc32: 0,
  isDeflated: false,
  sha256: '',
})

let home: string
let folder: string
let kept: KeptEntries
let failures: unknown[]
let reads: number
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'playshelf-kept-'))
  folder = join(home, 'play')
  failures = []
  reads = 0
})
afterEach(async () => {
  await kept.dispose()
  await rm(home, { recursive: true, force: true })
})

interface Options {
  maxBytes?: number
  reserve?: number
  object?: Uint8Array
  openFilesMax?: number
}

async function open({ object = OBJECT, ...options }: Options = {}) {
  const folderStore = createFolderStore({
    path: join(home, 'objects'),
    baseUrl: 'http://localhost',
    linkKeys: { signing: '', previous: [] },
    reserve: 0,
  })
  await folderStore.put(KEY, object, { contentType: 'application/zip' })
  const objects: Pick<ObjectStore, 'get'> = {
    get: async (...asked) => {
      reads += 1
      return await folderStore.get(...asked)
    },
  }
  const onFailure = (error: unknown) => void failures.push(error)
  kept = createKeptEntries({ objects, folder, maxBytes: 10 * SIZE, reserve: 0, ...options, onFailure })
}

async function keep(at: number): Promise<void> {
  kept.keep(KEY, entryAt(at))
  await waitFor('the copy', () => Promise.resolve(kept.find(KEY, entryAt(at)) !== null))
}

const read = async (at: number) => await kept.find(KEY, entryAt(at))?.bytes()

describe('copies of played files', () => {
  test('have the bytes of their entry and no name in the folder', async () => {
    await open()
    expect(await read(3)).toBeUndefined()
    await keep(3)
    expect(await read(3)).toEqual(OBJECT.slice(3 * SIZE, 4 * SIZE))
    expect(await readdir(folder)).toEqual([])
    kept.keep(KEY, entryAt(4))
    kept.keep(KEY, entryAt(4))
    await waitFor('the copy', async () => (await read(4)) !== undefined)
    expect(reads).toBe(2)
  })

  test('stay below their bound; those who found an old one can still read it', async () => {
    await open({ maxBytes: 5 * SIZE })
    await keep(0)
    const first = kept.find(KEY, entryAt(0))
    for (let at = 1; at < 8; at += 1) await keep(at)
    expect(await read(0)).toBeUndefined()
    expect(await first?.bytes()).toEqual(OBJECT.slice(0, SIZE))
    expect(await read(7)).toEqual(OBJECT.slice(7 * SIZE, 8 * SIZE))
  })

  test('are a quarter of the files that the process may have open', async () => {
    await open({ maxBytes: 1000 * SIZE, openFilesMax: 20 })
    for (let at = 0; at < 12; at += 1) await keep(at)
    const found = Array.from({ length: 12 }, (_, at) => kept.find(KEY, entryAt(at)) !== null)
    expect(found.filter(Boolean).length).toBeWithin(1, 6)
    expect(await read(11)).toEqual(OBJECT.slice(11 * SIZE, 12 * SIZE))
  })

  test.each([
    ['turned off', { maxBytes: 0 }],
    ['small beside the file', { maxBytes: SIZE }],
  ])('are not made where the room is %s', async (_, options) => {
    await open(options)
    kept.keep(KEY, entryAt(0))
    expect(reads).toBe(0)
  })

  test.each([
    ['the disk is nearly full', { reserve: 2 ** 60 }],
    ['the object ends early', { object: OBJECT.slice(0, SIZE / 2) }],
  ])('are not kept where %s; the next try waits', async (_, options) => {
    await open(options)
    kept.keep(KEY, entryAt(0))
    await waitFor('the failure', () => Promise.resolve(failures.length === 1))
    const before = reads
    kept.keep(KEY, entryAt(1))
    expect(await read(0)).toBeUndefined()
    expect([reads, await readdir(folder)]).toEqual([before, []])
  })
})
