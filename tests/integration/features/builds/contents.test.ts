import { describe, expect, test } from 'bun:test'
import { deflateRawSync, inflateRawSync } from 'node:zlib'

import { eq } from 'drizzle-orm'

import { fileContents, fileEntries } from '../../../../src/db/schema/builds.ts'
import { ensureContents, listContents } from '../../../../src/features/builds/contents/service.ts'
import { sha256Hex } from '../../../../src/lib/bytes/hash.ts'
import { encodeBlocks, unpackBlock, type ZipBlock } from '../../../../src/lib/zip/blocks.ts'
import { CONTENTS_TYPE, type ContentsEntry, decodeContents } from '../../../../src/lib/zip/contents.ts'
import { BLOCK_FIELD } from '../../../../src/lib/zip/directory.ts'
import { type FileRow, insertBuild, issueDeployKey } from '../../../helpers/builds.ts'
import { packContents, randomBytes } from '../../../helpers/files/packed-zip.ts'
import { makeZip } from '../../../helpers/files/zips.ts'
import { readFailure } from '../../../helpers/json.ts'
import { insertPublicGame } from '../../../helpers/listings.ts'
import { findFile, scanZip } from '../../../helpers/scans.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const server = useStore({ ROLE: 'all' })
const owner = usePerson(server)

const CONTENT: Readonly<Record<string, Buffer>> = {
  'game/index.html': Buffer.from('<!doctype html>'.repeat(50)),
  'game/data.pck': Buffer.alloc(300_000, 'data'),
  'game/empty.txt': Buffer.alloc(0),
}
const ZIP = makeZip([
  { name: 'game/', method: 0 },
  { name: 'game/index.html', data: CONTENT['game/index.html'] ?? '', mode: 0o100_755 },
  { name: 'game/data.pck', data: CONTENT['game/data.pck'] ?? '', method: 0, localExtra: Buffer.alloc(8) },
  { name: 'game/empty.txt', method: 0 },
])

async function scan(): Promise<FileRow> {
  const game = await insertPublicGame(server, owner)
  return await scanZip(server, await insertBuild(server, game.uid, { os: 'web', arch: 'wasm32' }), ZIP)
}

async function entriesOf(fileUid: string) {
  return (await Array.fromAsync(listContents(server.deps.db, fileUid))).flat()
}

/** The content of every entry, read by its place alone. */
async function unpackAll(fileUid: string): Promise<Record<string, Buffer>> {
  const entries = await entriesOf(fileUid)
  const unpacked = entries.map(({ path, dataAt, packed, method }) => {
    const bytes = ZIP.subarray(dataAt, dataAt + packed)
    return [path, method === 8 ? inflateRawSync(bytes) : bytes] as const
  })
  return Object.fromEntries(unpacked)
}

describe('the places of the entries of a zip', () => {
  test('are recorded by the scan', async () => {
    const file = await scan()
    expect(await ensureContents(server.deps.db, file)).toBe(true)
    expect(await unpackAll(file.uid)).toEqual(CONTENT)

    const html = (await entriesOf(file.uid)).find(({ path }) => path === 'game/index.html')

    expect(html).toMatchObject({ method: 8, mode: 0o100_755 })
    expect((await findFile(server, file.uid))?.entryPage).toBe('game/index.html')
  })

  test('of a file scanned earlier are recorded by a job on the first use', async () => {
    const file = await scan()
    const before = await entriesOf(file.uid)
    await server.deps.db
      .update(fileEntries)
      .set({ at: null, length: null, method: null, crc32: null, packed: null, dataAt: null, mode: null })
      .where(eq(fileEntries.fileUid, file.uid))
    expect(await entriesOf(file.uid)).toEqual([])
    expect(await ensureContents(server.deps.db, file)).toBe(false)
    await waitFor('the job', () => ensureContents(server.deps.db, file))
    expect(await entriesOf(file.uid)).toEqual(before)
  })
})

const NOISE = randomBytes(720_000)
const PACKED: Readonly<Record<string, Buffer>> = {
  'data.pck': Buffer.concat([Buffer.from(NOISE.toString('hex')), NOISE]),
  'noise.ogg': NOISE,
  'small.txt': Buffer.from('small'),
}

async function scanPacked(zip: Uint8Array): Promise<FileRow> {
  const game = await insertPublicGame(server, owner)
  return await scanZip(server, await insertBuild(server, game.uid), zip)
}

async function fetchContents(file: FileRow): Promise<Response> {
  const key = await issueDeployKey(server, file.gameUid)
  return await server.fetch(`/api/v1/tool/upload/files/${file.uid}/contents`, { headers: { ...key } })
}

async function readContents(file: FileRow): Promise<ContentsEntry[]> {
  const response = await fetchContents(file)
  expect(response.headers.get('content-type')).toBe(CONTENTS_TYPE)
  expect(response.headers.get('cache-control')).toContain('immutable')
  return await decodeContents(new Uint8Array(await response.arrayBuffer()))
}

describe('blocks of a packed zip', () => {
  test('are recorded with their SHA-256, and each can be fetched and unpacked alone', async () => {
    const zip = await packContents(PACKED)
    const entries = await readContents(await scanPacked(zip))
    expect(entries.map(({ path, blocks }) => [path, blocks !== null])).toEqual([
      ['data.pck', true],
      ['noise.ogg', true],
      ['small.txt', false],
    ])
    for (const { path, dataAt, method, size, sha256, blocks } of entries) {
      expect([size, sha256]).toEqual([PACKED[path]?.length ?? 0, sha256Hex(PACKED[path] ?? '')])
      let at = dataAt
      const parts: Uint8Array[] = []
      for (const block of blocks ?? []) {
        const bytes = zip.subarray(at, at + block.packedSize)
        const part = await unpackBlock(bytes, block, { isDeflated: method === 8 })
        expect(part && sha256Hex(part)).toBe(block.sha256)
        parts.push(part ?? new Uint8Array())
        at += block.packedSize
      }
      if (blocks) expect(Buffer.concat(parts).equals(PACKED[path] ?? Buffer.alloc(0))).toBe(true)
    }
  })

  test('of a file scanned earlier are not known; its contents are recorded on the first request', async () => {
    const file = await scanPacked(await packContents(PACKED))
    await server.deps.db.delete(fileContents).where(eq(fileContents.fileUid, file.uid))
    const first = await fetchContents(file)
    expect(first.status).toBe(503)
    expect(first.headers.get('retry-after')).toBe('5')
    expect((await readFailure(first)).code).toBe(5031)
    await waitFor('the job', async () => (await fetchContents(file)).ok)
    const entries = await readContents(file)
    expect(entries.map(({ blocks }) => blocks)).toEqual([null, null, null])
    expect(entries.map(({ sha256 }) => sha256)).toEqual(
      Object.values(PACKED).map((bytes) => sha256Hex(bytes)),
    )
  })
})

describe('a zip that names blocks', () => {
  const data = PACKED['data.pck'] ?? Buffer.alloc(0)
  const half = 500_000
  const packed = deflateRawSync(data)

  function withField(blocks: readonly ZipBlock[], bytes: Uint8Array = packed, method = 8): Buffer {
    const field = encodeBlocks(blocks) ?? Buffer.alloc(0)
    const head = Buffer.alloc(4)
    head.writeUInt16LE(BLOCK_FIELD, 0)
    head.writeUInt16LE(field.length, 2)
    return makeZip([{ name: 'data.pck', data, packed: bytes, method, extra: Buffer.concat([head, field]) }])
  }

  const rest = (size: number, packedSize: number) => ({ size: data.length - size, packedSize })

  test.each([
    [
      'that refer to bytes before them',
      withField([{ size: half, packedSize: packed.length >> 1 }, rest(half, 9)]),
    ],
    ['that are larger than the entry', withField([{ size: 15_000_000, packedSize: 400_000 }, rest(0, 9)])],
    [
      'that unpack to other sizes',
      withField([{ size: 20_000, packedSize: packed.length - 2 }, rest(20_000, 2)]),
    ],
    [
      'without any sense',
      makeZip([{ name: 'data.pck', data, extra: Buffer.from([0x53, 0x42, 2, 0, 1, 0xff]) }]),
    ],
  ])('%s is clean, without blocks', async (_, zip) => {
    const file = await scanPacked(zip)
    expect(file.scan).toBe('clean')
    expect((await readContents(file)).map(({ path, blocks }) => [path, blocks])).toEqual([['data.pck', null]])
  })

  test('of a stored file has them at any place', async () => {
    const [entry] = await readContents(
      await scanPacked(
        withField([{ size: half, packedSize: half }, rest(half, data.length - half)], data, 0),
      ),
    )
    expect(entry?.blocks?.map(({ sha256 }) => sha256)).toEqual([
      sha256Hex(data.subarray(0, half)),
      sha256Hex(data.subarray(half)),
    ])
  })
})
