import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { packTar, readTar, type TarInput } from '../../../../src/lib/bytes/tar.ts'

const LONG = `${'folder-'.repeat(30)}/${'name'.repeat(60)}.txt`

/** Files and a folder, with long and other than ASCII names, with Playshelf's first tar writer; zstd in base64. */
const EARLIER =
  'KLUv/WAAH9UHAMLKIR2QOwe5+93d/qK+1+fe+/b9t7vzlwgJbQbQ2eF+ZNSD/fbf3WNSFDZwqTvQZ1ZCiCji2OTJfq49mdwJvjd9ZhWUah2AIva4soplxXInFERHBQxbjH+P/09NCAb8bvlDKM+EdA/aGJatin+O5pUmfsAt++3896VsB7uxO7/juVqpGa5EE6bOJysgEG2UUzf/QIX9AE0V+LO6Y1UNmcwBmFQ/b+QLhQFWGKNeHj+asiHU6TWlkQrKEKA8xqoY5wkMIAX0U52yAU29IPiQ9Sc5zqov8OVgVWbHBhxCPzkwaqQsBhhO4KLp6FPHHHUA0iFgzFBQADuTUwI='

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'playshelf-tar-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const END_BYTES = 1024

function file(name: string, size: number, body: TarInput['body']): TarInput {
  return { name, kind: 'file', size, mode: 0o640, mtime: 1_700_000_000, body }
}

async function pack(files: Record<string, string>): Promise<Buffer> {
  async function* members(): AsyncGenerator<TarInput> {
    for (const [name, text] of Object.entries(files)) {
      const bytes = Buffer.from(text)
      yield file(name, bytes.length, [bytes])
    }
  }
  return Buffer.concat(await Array.fromAsync(packTar(members())))
}

/** An archive of one member. */
async function* only(member: TarInput): AsyncGenerator<TarInput> {
  yield member
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
    function* zeros(): Generator<Uint8Array> {
      for (;;) yield new Uint8Array(1024 * 1024)
    }
    for await (const member of readTar(packTar(only(file('huge', size, zeros()))))) {
      expect(member).toMatchObject({ name: 'huge', size })
      break
    }
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
    for (const length of [0, 100, 512, 520, 1024, 1700, whole.length - END_BYTES]) {
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
    const members = only(file('a', 5, [Buffer.from('four')]))
    expect(Array.fromAsync(packTar(members))).rejects.toThrow('changed its size')
  })

  test('a backup of an earlier version stays readable', async () => {
    const bytes = Buffer.from(await Bun.zstdDecompress(Buffer.from(EARLIER, 'base64')))
    expect(await unpack(bytes)).toEqual({
      'manifest.json': '{}',
      objects: '(folder)',
      'objects/ünïcode': 'utf',
      [`objects/${LONG}`]: 'long',
      'objects/exact': 'x'.repeat(1024),
    })
  })

  test.each(['reader', 'source'])('a %s that stops ends the other side', async (who) => {
    let isOpen = true
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        yield* inChunks(await pack(files), 100)
        if (who === 'source') throw new Error('The disk is gone')
        for (;;) yield new Uint8Array(512)
      } finally {
        isOpen = false
      }
    }
    const read = async () => {
      for await (const { name } of readTar(source())) if (who === 'reader' && name === 'exact') return
    }
    const outcome = await read().then(() => 'done', String)
    expect(outcome).toBe(who === 'source' ? 'Error: The disk is gone' : 'done')
    expect(isOpen).toBe(false)
  })

  test('members are read no further than a few MB ahead of the archive', async () => {
    let produced = 0
    let taken = 0
    function* zeros(): Generator<Uint8Array> {
      for (let count = 0; count < 64; count += 1) {
        produced += 1024 * 1024
        yield new Uint8Array(1024 * 1024)
      }
    }
    for await (const part of packTar(only(file('large', 64 * 1024 * 1024, zeros())))) {
      taken += part.length
      expect(produced - taken).toBeLessThan(16 * 1024 * 1024)
    }
    expect(taken).toBeGreaterThan(64 * 1024 * 1024)
  })
})
