import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { chmod, mkdir, symlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'

import { findNameFaults } from '../../../src/cli/install/record.ts'
import { listFiles } from '../../../src/cli/pack/list-files.ts'
import { packFiles } from '../../../src/cli/pack/pack.ts'
import { blockSizesFor, findCut } from '../../../src/cli/pack/read-blocks.ts'
import { createBlockReader } from '../../../src/lib/zip/block-reader.ts'
import { decodeBlocks, unpackBlock } from '../../../src/lib/zip/blocks.ts'
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
    expect(noise?.length).toBe(contents['noise.ogg'].length)
    expect(size).toBe(bytes.length)
  })

  test('compresses large files in blocks that can be unpacked alone, as the directory says', async () => {
    const noise = random(700_000)
    const content = Buffer.concat([Buffer.from(noise.toString('base64')), noise, noise])
    await Bun.write(join(folder, 'data.pck'), content)
    await Bun.write(join(folder, 'noise.ogg'), noise)
    await Bun.write(join(folder, 'small.txt'), content.subarray(0, 200_000))
    const { bytes, entries } = await pack(folder)
    const reader = createBlockReader({
      size: bytes.length,
      read: async (start, end) => bytes.subarray(start, end),
    })
    const listed = await readDirectory(reader)
    expect(listed.map(({ blockField }) => blockField !== null)).toEqual([true, true, false])
    for (const [index, source] of [content, noise].entries()) {
      const [entry, packed] = [listed[index], entries[index]]
      if (!entry?.blockField || !packed) throw new Error('There is an entry')
      const blocks = decodeBlocks(entry.blockField, entry)
      expect(blocks).toEqual(packed.blocks.map(({ size, packedSize }) => ({ size, packedSize })))
      let [at, from] = [packed.at, 0]
      for (const { size, packedSize } of blocks ?? []) {
        const alone = await unpackBlock(bytes.subarray(at, at + packedSize), { size, packedSize }, entry)
        expect(alone && Buffer.compare(alone, source.subarray(from, from + size))).toBe(0)
        at += packedSize
        from += size
      }
      expect(from).toBe(source.length)
    }
  })

  test.each(['unzip', 'python3', '7z'].filter((program) => Bun.which(program) !== null))(
    'makes zips that %s accepts',
    async (program) => {
      await Bun.write(join(folder, 'data.pck'), random(900_000).toString('hex'))
      await Bun.write(join(folder, 'noise.ogg'), random(900_000))
      const target = join(dir.path, `${program}.zip`)
      await Bun.write(target, (await pack(folder)).bytes)
      const commands: Record<string, string[]> = {
        unzip: ['unzip', '-t', target],
        python3: [
          'python3',
          '-c',
          'import sys,zipfile;sys.exit(zipfile.ZipFile(sys.argv[1]).testzip())',
          target,
        ],
        '7z': ['7z', 't', target],
      }
      expect(Bun.spawnSync(commands[program] ?? []).exitCode).toBe(0)
    },
  )

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

  test('leaves out secrets and tells which, unless they are wanted', async () => {
    const key = (kind: string) => `-----BEGIN ${kind}PRIVATE KEY-----\nMIIE\n`
    const secrets: Record<string, string> = {
      '.env': 'A=1',
      '.ENV.production': 'A=1',
      '.git': 'gitdir: ../x',
      '.npmrc': '//registry/:_authToken=x',
      'certs/server.key': `Bag Attributes\n${key('')}`,
      'certs/server.pem': key('RSA '),
      deploy_key: key('OPENSSH '),
      'release.keystore': 'binary',
      'sub/.ssh/id_ed25519': 'key',
    }
    const others: Record<string, string> = {
      '.env.example': 'A=',
      'certs/ca.pem': '-----BEGIN CERTIFICATE-----\n',
      'door.key': 'a key of the game',
      'environment.txt': 'x',
      game: 'program',
    }
    for (const [name, text] of Object.entries({ ...secrets, ...others }))
      await Bun.write(join(folder, name), text)
    const list = async (includeSecrets: boolean) => {
      const told: string[] = []
      const found = await listFiles(folder, { includeSecrets, onSecret: (path) => void told.push(path) })
      return { told: told.sort(), files: found.flatMap(({ path, isFolder }) => (isFolder ? [] : [path])) }
    }
    expect(await list(false)).toEqual({
      told: Object.keys(secrets).sort(),
      files: Object.keys(others).sort(),
    })
    expect(await list(true)).toEqual({ told: [], files: Object.keys({ ...secrets, ...others }).sort() })
    await Bun.write(join(folder, '.shelfignore'), Object.keys(secrets).join('\n'))
    expect((await list(false)).told).toEqual([])
  })
})

test('names that Windows cannot unpack are found', () => {
  const faults = findNameFaults(['good/name.txt', 'aux.txt', 'what?', 'ends.', 'Readme', 'README', 'a:b'])
  expect(faults).toHaveLength(5)
  expect(findNameFaults(['ünï/🎮.txt'])).toEqual([])
})

const MIB = 1024 ** 2
const GIB = 1024 ** 3

/** The same bytes in every run. */
function makeBytes(size: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(size)
  let state = seed
  for (let at = 0; at + 4 <= size; at += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    bytes.writeInt32LE(state ^ (state >>> 15), at)
  }
  return bytes
}

function cut(bytes: Buffer): Buffer[] {
  const sizes = blockSizesFor(bytes.length)
  const blocks: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    const end = findCut(bytes, at, bytes.length, sizes)
    blocks.push(bytes.subarray(at, end))
    at = end
  }
  return blocks
}

const hashesOf = (blocks: readonly Buffer[]) => blocks.map((block) => Bun.SHA256.hash(block, 'hex'))

/** The bytes of the blocks that the other content does not have. */
function sizeOfNew(blocks: readonly Buffer[], others: readonly Buffer[]): number {
  const known = new Set(hashesOf(others))
  return hashesOf(blocks).reduce(
    (sum, hash, at) => (known.has(hash) ? sum : sum + (blocks[at]?.length ?? 0)),
    0,
  )
}

describe('blocks', () => {
  const content = makeBytes(24 * MIB)
  const blocks = cut(content)

  test('are of about 128 KiB, neither small nor huge', () => {
    const { min, max } = blockSizesFor(content.length)
    expect(content.length / blocks.length).toBeWithin(100 * 1024, 180 * 1024)
    for (const block of blocks.slice(0, -1)) expect(block.length).toBeWithin(min, max + 1)
  })

  test('of a file change only near an insertion, a removal or a change', () => {
    const inserted = Buffer.concat([makeBytes(1000, 7), content])
    const removed = Buffer.concat([content.subarray(0, 5 * MIB), content.subarray(5 * MIB + 333)])
    const changed = Buffer.concat([
      content.subarray(0, 9 * MIB),
      makeBytes(40, 3),
      content.subarray(9 * MIB + 40),
    ])
    for (const other of [inserted, removed, changed]) {
      expect(sizeOfNew(cut(other), blocks)).toBeLessThan(3 * blockSizesFor(content.length).max)
    }
  })

  test('of content without any variety end at the largest size', () => {
    const { max } = blockSizesFor(4 * MIB)
    expect(cut(Buffer.alloc(4 * MIB)).map(({ length }) => length)).toEqual(Array((4 * MIB) / max).fill(max))
  })

  test('are larger for larger files, so that their list stays short', () => {
    for (const size of [MIB, GIB, 3 * GIB, 20 * GIB]) {
      expect(size / blockSizesFor(size).average).toBeLessThanOrEqual(8192)
    }
    // A file of 1 GB that grows a little keeps its blocks.
    expect(blockSizesFor(GIB + MIB).average).toBe(128 * 1024)
    expect(blockSizesFor(3 * GIB).average).toBe(512 * 1024)
  })
})
