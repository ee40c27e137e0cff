import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { deflateRawSync } from 'node:zlib'

import { eq } from 'drizzle-orm'

import { fileContents } from '../../../../../src/db/schema/builds.ts'
import type { JobRunner } from '../../../../../src/jobs/runner.ts'
import { sha256Hex } from '../../../../../src/lib/bytes/hash.ts'
import { unpackBlock } from '../../../../../src/lib/zip/block-check.ts'
import { BLOCK_FIELD, encodeBlocks, type ZipBlock } from '../../../../../src/lib/zip/block-field.ts'
import { CONTENTS_TYPE, type ContentsEntry, decodeContents } from '../../../../../src/lib/zip/contents.ts'
import { type FileRow, insertBuild, issueDeployKey } from '../../../../helpers/builds.ts'
import { packContents, randomBytes } from '../../../../helpers/files/packed-zip.ts'
import { makeZip } from '../../../../helpers/files/zips.ts'
import { readFailure } from '../../../../helpers/json.ts'
import { insertPublicGame } from '../../../../helpers/listings.ts'
import { type Person, signUp } from '../../../../helpers/people.ts'
import { scanZip, startJobs } from '../../../../helpers/scans.ts'
import { startTestServer, type TestServer } from '../../../../helpers/server.ts'
import { waitFor } from '../../../../helpers/wait.ts'

let server: TestServer
let runner: JobRunner
let owner: Person
beforeAll(async () => {
  server = await startTestServer()
  runner = await startJobs(server)
  owner = await signUp(server)
})
afterAll(async () => {
  await runner.stop()
  await server.stop()
})

const NOISE = randomBytes(720_000)
const CONTENT: Readonly<Record<string, Buffer>> = {
  'data.pck': Buffer.concat([Buffer.from(NOISE.toString('hex')), NOISE]),
  'noise.ogg': NOISE,
  'small.txt': Buffer.from('small'),
}

async function scan(zip: Uint8Array): Promise<FileRow> {
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
    const zip = await packContents(CONTENT)
    const entries = await readContents(await scan(zip))
    expect(entries.map(({ path, blocks }) => [path, blocks !== null])).toEqual([
      ['data.pck', true],
      ['noise.ogg', true],
      ['small.txt', false],
    ])
    for (const { path, dataAt, method, size, sha256, blocks } of entries) {
      expect([size, sha256]).toEqual([CONTENT[path]?.length ?? 0, sha256Hex(CONTENT[path] ?? '')])
      let at = dataAt
      const parts: Uint8Array[] = []
      for (const block of blocks ?? []) {
        const bytes = zip.subarray(at, at + block.packedSize)
        const part = await unpackBlock(bytes, block, { isDeflated: method === 8 })
        expect(part && sha256Hex(part)).toBe(block.sha256)
        parts.push(part ?? new Uint8Array())
        at += block.packedSize
      }
      if (blocks) expect(Buffer.concat(parts).equals(CONTENT[path] ?? Buffer.alloc(0))).toBe(true)
    }
  })

  test('of a file scanned earlier are not known; its contents are recorded on the first request', async () => {
    const file = await scan(await packContents(CONTENT))
    await server.deps.db.delete(fileContents).where(eq(fileContents.fileUid, file.uid))
    const first = await fetchContents(file)
    expect(first.status).toBe(503)
    expect(first.headers.get('retry-after')).toBe('5')
    expect((await readFailure(first)).code).toBe(5031)
    await waitFor('the job', async () => (await fetchContents(file)).ok)
    const entries = await readContents(file)
    expect(entries.map(({ blocks }) => blocks)).toEqual([null, null, null])
    expect(entries.map(({ sha256 }) => sha256)).toEqual(
      Object.values(CONTENT).map((bytes) => sha256Hex(bytes)),
    )
  })
})

describe('a zip that names blocks', () => {
  const data = CONTENT['data.pck'] ?? Buffer.alloc(0)
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
    const file = await scan(zip)
    expect(file.scan).toBe('clean')
    expect((await readContents(file)).map(({ path, blocks }) => [path, blocks])).toEqual([['data.pck', null]])
  })

  test('of a stored file has them at any place', async () => {
    const [entry] = await readContents(
      await scan(withField([{ size: half, packedSize: half }, rest(half, data.length - half)], data, 0)),
    )
    expect(entry?.blocks?.map(({ sha256 }) => sha256)).toEqual([
      sha256Hex(data.subarray(0, half)),
      sha256Hex(data.subarray(half)),
    ])
  })
})
