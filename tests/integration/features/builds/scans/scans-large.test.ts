import { beforeAll, describe, expect, test } from 'bun:test'
import { constants, crc32, deflateRawSync } from 'node:zlib'

import { eq } from 'drizzle-orm'

import { fileEntries } from '../../../../../src/db/schema/builds.ts'
import { type BuildRow, insertBuild } from '../../../../helpers/builds.ts'
import { EICAR, makeZip, type ZipPart } from '../../../../helpers/files/zips.ts'
import { insertPublicGame } from '../../../../helpers/listings.ts'
import { signUp } from '../../../../helpers/people.ts'
import { queueScan, scanZip, startJobs, waitForScan } from '../../../../helpers/scans.ts'
import { startTestServer } from '../../../../helpers/server.ts'
import { useStore } from '../../../../helpers/store.ts'
import { createBucket, S3_MISSING } from '../../../../helpers/uploads/uploads.ts'
import { waitFor } from '../../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })
let build: BuildRow
beforeAll(async () => {
  const game = await insertPublicGame(server, await signUp(server))
  build = await insertBuild(server, game.uid)
})

const MB = 1024 ** 2
const GB = 1024 ** 3

/** Zeros, about a thousand times smaller: one packed piece that stands on its own, over and over. */
function packZeros(megabytes: number): Buffer {
  const piece = deflateRawSync(Buffer.alloc(MB), { finishFlush: constants.Z_FULL_FLUSH })
  const end = deflateRawSync(Buffer.alloc(0))
  return Buffer.concat([...Array<Buffer>(megabytes).fill(piece), end])
}

const tenGigabytes = packZeros(10 * 1024)
const kernel = packZeros(100)

/** Entries that all unpack the same bytes. */
function overlapping(count: number): ZipPart[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `${index}`,
    size: 100 * MB,
    packed: index === 0 ? kernel : Buffer.alloc(0),
    packedSize: kernel.length,
    offset: 0,
  }))
}

describe('a bomb is refused without being unpacked:', () => {
  const bombs: [what: string, parts: ZipPart[], reason: string][] = [
    [
      '10 GB in 10 MB',
      [{ name: 'a', packed: tenGigabytes, size: 10 * GB, zip64: true }],
      'The zip unpacks to more than 200 times its size.',
    ],
    [
      '10 GB in 10 MB that say they are 4 GB',
      [{ name: 'a', packed: tenGigabytes, size: 4 * GB - 2 }],
      'The zip unpacks to more than 200 times its size.',
    ],
    [
      '10 GB in 10 MB that say they are 5 MB',
      [{ name: 'a', packed: tenGigabytes, size: 5 * MB }],
      '"a" unpacks to more than the zip says.',
    ],
    [
      '300 MB in 300 KB',
      [{ name: 'a', packed: packZeros(300), size: 300 * MB }],
      'The zip unpacks to more than 200 times its size.',
    ],
    [
      '10 GB in many entries',
      Array.from({ length: 100 }, (_, index) => ({ name: `${index}`, packed: kernel, size: 100 * MB })),
      'The zip unpacks to more than 200 times its size.',
    ],
    ['10 GB in entries that share their bytes', overlapping(100), 'overlaps with other parts of the zip.'],
    [
      'as many exabytes as can be said',
      [{ name: 'a', packed: kernel, size: 2 ** 53, zip64: true }],
      'The zip unpacks to more than 20 GB.',
    ],
    [
      'more entries than there are',
      Array.from({ length: 200_001 }, (_, index) => ({ name: `${index}` })),
      'The zip holds more than 200,000 files and folders.',
    ],
    [
      'more folders than there are',
      Array.from({ length: 700 }, (_, index) => ({ name: `${index}${'/a'.repeat(500)}` })),
      'The zip holds more than 200,000 files and folders.',
    ],
  ]
  test.each(bombs)('%s', async (_, parts, reason) => {
    const zip = makeZip(parts, { zip64: parts.length > 65_535 })
    expect(await scanZip(server, build, zip)).toMatchObject({
      scan: 'error',
      scanDetail: expect.stringContaining(reason),
    })
  })
})

describe('a zip is scanned', () => {
  test('with 70,000 entries', async () => {
    const parts = Array.from({ length: 70_000 }, (_, index) => ({
      name: `folder ${index % 300}/file "${index}" ☂.txt`,
      data: `content ${index}`,
    }))
    const { uid } = await queueScan(server, build, makeZip(parts, { zip64: true }), { filename: 'many.zip' })
    const file = await waitForScan(server, uid)
    expect(file).toMatchObject({ scan: 'clean' })
    const rows = await server.deps.db.select().from(fileEntries).where(eq(fileEntries.fileUid, file.uid))
    expect(new Set(rows.map(({ path }) => path))).toEqual(new Set(parts.map(({ name }) => name)))
  })

  test('with 64-bit sizes and offsets', async () => {
    const zip = makeZip(
      [
        { name: 'a', data: 'hello', zip64: true },
        { name: 'b', data: Buffer.alloc(3 * MB, 'b'), method: 0, zip64: true },
      ],
      { zip64: true },
    )
    const file = await scanZip(server, build, zip, { filename: 'wide.zip' })
    expect(file).toMatchObject({ scan: 'clean' })
    expect(await server.deps.db.$count(fileEntries, eq(fileEntries.fileUid, file.uid))).toBe(2)
  })

  test('with an entry a thousand times larger than packed, as long as the whole stays below 256 MB', async () => {
    const data = Buffer.alloc(100 * MB)
    const zip = makeZip([{ name: 'zeros', packed: kernel, size: data.length, crc: crc32(data) }])
    expect(await scanZip(server, build, zip, { filename: 'zeros.zip' })).toMatchObject({ scan: 'clean' })
  })
})

describe.skipIf(S3_MISSING)('from S3', () => {
  test('a zip of many blocks is scanned, and an infected one is removed', async () => {
    const bucket = await createBucket()
    const remote = await startTestServer({ TRUST_PROXY: '1', ...bucket.env })
    const jobs = await startJobs(remote)
    try {
      const game = await insertPublicGame(remote, await signUp(remote))
      const place = await insertBuild(remote, game.uid)
      const large = { name: 'large', data: Buffer.alloc(21 * MB, 'large '), method: 0 }
      const clean = await scanZip(remote, place, makeZip([large, { name: 'b', data: 'hello' }]))
      expect(clean).toMatchObject({ scan: 'clean' })
      const bad = await scanZip(remote, place, makeZip([large, { name: 'b', data: EICAR }]), {
        filename: 'b.zip',
      })
      expect(bad).toMatchObject({ scan: 'infected' })
      await waitFor('the object is removed', async () => !(await remote.deps.objects.head(bad.objectKey)))
    } finally {
      await jobs.stop()
      await remote.stop()
      await bucket.remove()
    }
  })
})
