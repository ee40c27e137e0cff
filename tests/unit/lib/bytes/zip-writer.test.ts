import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { writeZip, type ZipEntry } from '../../../../src/lib/bytes/zip-writer.ts'
import { readZip } from '../../../helpers/files/zip.ts'

const MOMENT = new Date('2026-03-04T05:06:08.900Z')
const FILES: Record<string, Uint8Array> = {
  'factsheet.json': Buffer.from('{"name": "Lighthouse"}'),
  empty: new Uint8Array(),
  'images/cover.webp': crypto.getRandomValues(new Uint8Array(60_000)),
  'images/日本 ü.webp': Buffer.from('names are UTF-8'),
}

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'playshelf-zip-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

function entry(name: string, body: ZipEntry['body'], modifiedAt = MOMENT): ZipEntry {
  return { name, modifiedAt, body }
}

function* inChunks(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function pack(entries: AsyncIterable<ZipEntry> | Iterable<ZipEntry>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(writeZip(entries)))
}

const packFiles = (chunk = 1000) =>
  pack(Object.entries(FILES).map(([name, bytes]) => entry(name, inChunks(bytes, chunk))))

async function save(bytes: Uint8Array): Promise<string> {
  const path = join(dir, 'test.zip')
  await Bun.write(path, bytes)
  return path
}

/** What Python's zipfile finds, with every checksum compared. */
async function readByPython(bytes: Uint8Array): Promise<{ name: string; date: number[]; sha256: string }[]> {
  const script = `
import hashlib, json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z:
    assert z.testzip() is None
    print(json.dumps([{'name': i.filename, 'date': i.date_time, 'sha256': hashlib.sha256(z.read(i)).hexdigest()}
        for i in z.infolist()]))`
  return JSON.parse(await Bun.$`python3 -c ${script} ${await save(bytes)}`.text())
}

const sha256 = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')

const withPython = test.skipIf(Bun.which('python3') === null)
const withUnzip = test.skipIf(Bun.which('unzip') === null)

describe('a zip', () => {
  test.each([1000, 7, 100_000])('written in chunks of %i bytes holds what was put in', async (chunk) => {
    expect(readZip(await packFiles(chunk))).toEqual(
      Object.entries(FILES).map(([name, bytes]) => ({ name, bytes: Buffer.from(bytes) })),
    )
  })

  withPython('is read by Python', async () => {
    expect(await readByPython(await packFiles())).toEqual(
      Object.entries(FILES).map(([name, bytes]) => ({
        name,
        date: [2026, 3, 4, 5, 6, 8],
        sha256: sha256(bytes),
      })),
    )
  })

  withUnzip('passes the test of unzip, which unpacks plain files', async () => {
    const path = await save(await packFiles())
    expect(await Bun.$`unzip -t ${path}`.text()).toContain('No errors detected')
    await Bun.$`unzip -q ${path} -d ${join(dir, 'out')}`
    const cover = Bun.file(join(dir, 'out/images/cover.webp'))
    expect(sha256(await cover.bytes())).toBe(sha256(FILES['images/cover.webp'] ?? new Uint8Array()))
    expect((await cover.stat()).mode & 0o777).toBe(0o644)
  })

  test('without entries is a zip too', async () => {
    expect(readZip(await pack([]))).toEqual([])
  })

  test('is the same for the same input, however it was cut', async () => {
    expect((await packFiles(11)).equals(await packFiles(5000))).toBe(true)
  })

  withPython.each([
    ['1970-01-01T00:00:00Z', [1980, 1, 1, 0, 0, 0]],
    ['2200-12-31T23:59:59Z', [2107, 12, 31, 23, 59, 58]],
  ])('knows no moment like %s and takes the nearest year', async (moment, date) => {
    const found = await readByPython(await pack([entry('a', [], new Date(moment))]))
    expect(found).toMatchObject([{ name: 'a', date }])
  })

  test('of more entries than the format counts is refused', () => {
    const entries = Array.from({ length: 65_536 }, (_, index) => entry(String(index), []))
    expect(pack(entries)).rejects.toThrow('too large')
  })

  test('breaks off when a body does', () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half')
      throw new Error('The store is gone')
    }
    expect(pack([entry('a', broken())])).rejects.toThrow('The store is gone')
  })
})

describe('reading ahead', () => {
  /** Entries that keep count of what was asked for and what is still open. */
  function createSource() {
    const facts = { opened: 0, open: 0, mostOpen: 0, chunks: 0 }
    async function* body(): AsyncGenerator<Uint8Array> {
      for (let count = 0; count < 100; count += 1) {
        facts.chunks += 1
        yield new Uint8Array(1024)
      }
    }
    async function* entries(): AsyncGenerator<ZipEntry> {
      for (let count = 0; count < 10; count += 1) {
        facts.opened += 1
        facts.open += 1
        facts.mostOpen = Math.max(facts.mostOpen, facts.open)
        try {
          yield entry(`file-${count}`, body())
        } finally {
          facts.open -= 1
        }
      }
    }
    return { facts, entries: entries() }
  }

  test('nothing is opened before the first byte is asked for', () => {
    const { facts, entries } = createSource()
    writeZip(entries)
    expect(facts).toEqual({ opened: 0, open: 0, mostOpen: 0, chunks: 0 })
  })

  test('never more is read than was taken, and one entry is open at a time', async () => {
    const { facts, entries } = createSource()
    let taken = 0
    for await (const part of writeZip(entries)) {
      if (part.length === 1024) taken += 1
      expect(facts.chunks).toBe(taken)
    }
    expect(facts).toEqual({ opened: 10, open: 0, mostOpen: 1, chunks: 1000 })
  })

  test.each([1, 2, 50, 101, 102, 103])(
    'a reader that leaves after %i parts closes what is open',
    async (parts) => {
      const { facts, entries } = createSource()
      const zip = writeZip(entries)
      for (let count = 0; count < parts; count += 1) await zip.next()
      await zip.return(undefined)
      expect(facts.open).toBe(0)
      expect(facts.opened).toBe(parts > 102 ? 2 : 1)
    },
  )
})
