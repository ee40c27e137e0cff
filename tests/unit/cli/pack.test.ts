import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { chmod, mkdir, symlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'

import { listFiles } from '../../../src/cli/pack/list-files.ts'
import { findNameFaults } from '../../../src/cli/pack/names.ts'
import { packFiles } from '../../../src/cli/pack/pack.ts'
import { createBlockReader } from '../../../src/lib/zip/block-reader.ts'
import { readDirectory } from '../../../src/lib/zip/directory.ts'
import { readEntry } from '../../../src/lib/zip/entry-stream.ts'
import { createTempDir } from '../../helpers/processes/child.ts'

const dir = await createTempDir('pack')
let folder: string
beforeEach(async () => {
  folder = join(dir.path, crypto.randomUUID())
  await mkdir(folder)
})
afterAll(() => dir.remove())

async function pack(source: string) {
  const target = join(dir.path, `${crypto.randomUUID()}.zip`)
  const zip = await packFiles(await listFiles(source), target, {
    signal: new AbortController().signal,
    onBytes: () => undefined,
  })
  return { ...zip, bytes: await Bun.file(target).bytes() }
}

/** Reads with the scanner's own reader, which accepts no zip with gaps or contradictions. */
async function unpack(bytes: Uint8Array): Promise<Map<string, Buffer>> {
  const reader = createBlockReader({
    size: bytes.length,
    read: async (start, end) => bytes.subarray(start, end),
  })
  const found = new Map<string, Buffer>()
  for (const entry of await readDirectory(reader)) {
    found.set(entry.path, Buffer.concat(await Array.fromAsync(readEntry(reader, entry))))
  }
  return found
}

const random = (size: number) => {
  const bytes = Buffer.alloc(size)
  for (let at = 0; at < size; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536))
  return bytes
}

describe('packing', () => {
  test('gives the same bytes for the same files, whatever their times', async () => {
    await Bun.write(
      join(folder, 'b/large.bin'),
      Buffer.concat([random(1024 ** 2), Buffer.alloc(3 * 1024 ** 2, 'ab')]),
    )
    await Bun.write(join(folder, 'a.txt'), 'a')
    const first = await pack(folder)
    await utimes(join(folder, 'a.txt'), new Date(0), new Date(0))
    const second = await pack(folder)
    expect(second.checksum).toBe(first.checksum)
    expect(new Bun.CryptoHasher('sha256').update(first.bytes).digest('hex')).toBe(first.checksum)
  })

  test('keeps content, folders, programs and names; stores what does not shrink', async () => {
    const contents = {
      'empty.txt': Buffer.alloc(0),
      'noise.ogg': random(3 * 1024 ** 2 + 17),
      'text.txt': Buffer.alloc(2 * 1024 ** 2 + 5, 'hello world '),
      'ordner/ünï 🎮.dat': Buffer.concat([random(900_000), Buffer.alloc(900_000)]),
    }
    for (const [name, bytes] of Object.entries(contents)) await Bun.write(join(folder, name), bytes)
    await mkdir(join(folder, 'leer'))
    await Bun.write(join(folder, 'run'), '#!/bin/sh')
    await chmod(join(folder, 'run'), 0o711)
    const { bytes, entries, size } = await pack(folder)
    const found = await unpack(bytes)
    for (const [name, content] of Object.entries(contents))
      expect(found.get(name)?.equals(content)).toBe(true)
    expect([...found.keys()]).toContain('leer/')
    expect(entries.map(({ path }) => path)).toEqual(entries.map(({ path }) => path).toSorted())
    expect(entries.find(({ path }) => path === 'run')?.executable).toBe(true)
    const noise = entries.find(({ path }) => path === 'noise.ogg')
    expect(noise?.length).toBe(30 + 'noise.ogg'.length + contents['noise.ogg'].length)
    expect(size).toBe(bytes.length)
  })

  test('follows links inside the folder, and refuses circles', async () => {
    await Bun.write(join(folder, 'versions/1/lib'), 'lib')
    await symlink('1', join(folder, 'versions/current'))
    const { bytes } = await pack(folder)
    expect((await unpack(bytes)).get('versions/current/lib')?.toString()).toBe('lib')
    await symlink('..', join(folder, 'versions/up'))
    expect(listFiles(folder)).rejects.toThrow('circle')
  })

  test('leaves out what .shelfignore says, and what never belongs to a build', async () => {
    const names = [
      '.git/config',
      'sub/.DS_Store',
      'shelf.json',
      'a.log',
      'keep.log',
      'tmp/x',
      'Tmp/y',
      'a.txt',
    ]
    for (const name of names) await Bun.write(join(folder, name), 'x')
    await Bun.write(join(folder, '.shelfignore'), '*.log\n!keep.log\n/tmp/\n# a comment\n!.git\n')
    const paths = (await listFiles(folder)).map(({ path }) => path)
    expect(paths).toEqual(['Tmp/', 'Tmp/y', 'a.txt', 'keep.log', 'sub/'])
  })
})

test('names that Windows cannot unpack are found', () => {
  const faults = findNameFaults(['good/name.txt', 'aux.txt', 'what?', 'ends.', 'Readme', 'README', 'a:b'])
  expect(faults).toHaveLength(5)
  expect(findNameFaults(['ünï/🎮.txt'])).toEqual([])
})
