import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { encodeHeader, type TarEntry } from '../../../src/lib/tar-header.ts'
import { packEntry, readTar, TAR_END } from '../../../src/lib/tar.ts'

const LONG = `${'folder-'.repeat(30)}/${'name'.repeat(60)}.txt`

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'playshelf-tar-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

function file(name: string, size: number): TarEntry {
  return { name, kind: 'file', size, mode: 0o640, mtime: 1_700_000_000 }
}

async function pack(files: Record<string, string>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for (const [name, text] of Object.entries(files)) {
    const bytes = Buffer.from(text)
    for await (const part of packEntry(file(name, bytes.length), [bytes])) parts.push(part)
  }
  return Buffer.concat([...parts, TAR_END])
}

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function unpack(bytes: Buffer, chunk = 1000): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for await (const { name, kind, body } of readTar(inChunks(bytes, chunk))) {
    const text = Buffer.concat(await Array.fromAsync(body)).toString()
    found[name] = kind === 'folder' ? '(folder)' : text
  }
  return found
}

describe('tar', () => {
  const files = {
    'a.txt': 'hello',
    empty: '',
    exact: 'x'.repeat(1024),
    [LONG]: 'long',
    'ünïcode/日本': 'utf',
  }

  test.each([1, 7, 512, 100_000])('reads back what it wrote, in chunks of %i bytes', async (size) => {
    expect(await unpack(await pack(files), size)).toEqual(files)
  })

  test('the tar command reads what we write', async () => {
    await Bun.write(join(dir, 'ours.tar'), await pack(files))
    await Bun.$`tar -xf ours.tar --one-top-level=out`.cwd(dir).quiet()
    for (const [name, text] of Object.entries(files)) {
      expect(await Bun.file(join(dir, 'out', name)).text()).toBe(text)
    }
    const facts = await stat(join(dir, 'out/a.txt'))
    expect(facts.mode & 0o777).toBe(0o640)
    expect(facts.mtimeMs).toBe(1_700_000_000_000)
  })

  test.each(['ustar', 'pax'])('we read what the tar command writes as %s', async (format) => {
    await mkdir(join(dir, 'in/deep'), { recursive: true })
    await Bun.write(join(dir, 'in/deep/file.txt'), 'from tar')
    await utimes(join(dir, 'in/deep/file.txt'), 1000, 1000)
    await Bun.$`tar -cf theirs.tar --format=${format} in`.cwd(dir).quiet()
    const bytes = Buffer.from(await Bun.file(join(dir, 'theirs.tar')).arrayBuffer())
    expect(await unpack(bytes)).toEqual({
      in: '(folder)',
      'in/deep': '(folder)',
      'in/deep/file.txt': 'from tar',
    })
  })

  test('a member of more than 8 GB keeps its size', async () => {
    const size = 9 * 1024 ** 3 + 5
    const members = readTar(inChunks(Buffer.from(encodeHeader(file('huge', size))), 512))
    expect((await members.next()).value).toMatchObject({ name: 'huge', size })
  })

  test('the length of a pax record counts its own digits', async () => {
    for (let length = 85; length < 105; length++) {
      const name = `ü${'n'.repeat(length)}`
      expect(await unpack(await pack({ [name]: 'x' }))).toEqual({ [name]: 'x' })
    }
  })

  test('a body that nobody reads is skipped', async () => {
    const names: string[] = []
    for await (const { name, body } of readTar(inChunks(await pack(files), 100))) {
      names.push(name)
      if (name === 'exact') await body[Symbol.asyncIterator]().next()
    }
    expect(names).toEqual(Object.keys(files))
  })

  test('an archive that is cut off anywhere is refused', async () => {
    const whole = await pack({ 'a.txt': 'hello', b: 'x'.repeat(600) })
    for (const length of [0, 100, 512, 520, 1024, 1700, whole.length - TAR_END.length]) {
      expect(unpack(whole.subarray(0, length))).rejects.toThrow('ends too early')
    }
  })

  test('a header with a flipped bit is refused', async () => {
    const bytes = await pack({ 'a.txt': 'hello' })
    bytes[3] = (bytes[3] ?? 0) ^ 1
    expect(unpack(bytes)).rejects.toThrow('damaged header')
  })

  test('links are refused', async () => {
    await Bun.$`ln -s /etc/passwd link && tar -cf link.tar link`.cwd(dir).quiet()
    const bytes = Buffer.from(await Bun.file(join(dir, 'link.tar')).arrayBuffer())
    expect(unpack(bytes)).rejects.toThrow('neither a file nor a folder')
  })

  test('a body of another length than told is refused', async () => {
    expect(Array.fromAsync(packEntry(file('a', 5), [Buffer.from('four')]))).rejects.toThrow(
      'changed its size',
    )
  })
})
