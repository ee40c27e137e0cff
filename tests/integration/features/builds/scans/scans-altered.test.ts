import { describe, expect, test } from 'bun:test'

import type { Incident } from '../../../../../src/jobs/define.ts'
import { insertBuild } from '../../../../helpers/builds.ts'
import { makeZip } from '../../../../helpers/files/zips.ts'
import { insertPublicGame } from '../../../../helpers/listings.ts'
import { type Person, signUp } from '../../../../helpers/people.ts'
import { findFile, type RunOptions, runScanNow, storeFile } from '../../../../helpers/scans.ts'
import { startTestServer, type TestServer } from '../../../../helpers/server.ts'
import { createBucket, S3_MISSING } from '../../../../helpers/uploads/uploads.ts'
import { waitFor } from '../../../../helpers/wait.ts'

const MB = 1024 ** 2
const REASON = 'The stored file is not the one that was uploaded'

const SMALL = makeZip([
  { name: 'a.txt', data: 'hello' },
  { name: 'b.txt', data: 'world' },
])
const LARGE = makeZip([
  { name: 'large', data: Buffer.alloc(9 * MB, 'large '), method: 0 },
  { name: 'b.txt', data: 'hello' },
])
/** In the time of the first entry's header, which no unpacker compares with anything. */
const TIME = 10

const PLACES: [what: string, bytes: Buffer, at: number][] = [
  ['a field that nothing checks', SMALL, TIME],
  ['such a field of a zip of many blocks', LARGE, TIME],
  ['the content of a file', LARGE, 5 * MB],
  ['the directory', SMALL, SMALL.length - 22 - 10],
  ['the last byte', SMALL, SMALL.length - 1],
]

function flipBit(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at)
  return copy
}

interface Place {
  server: TestServer
  owner: Person
}

const STORES: [name: string, isMissing: boolean, env: () => Promise<Record<string, string>>][] = [
  ['in a folder', false, async () => ({})],
  ['on S3', S3_MISSING, async () => (await createBucket()).env],
]

describe.each(STORES)('a file %s', (_, isMissing, env) => {
  const testHere = test.skipIf(isMissing)

  async function withServer(work: (place: Place) => Promise<void>): Promise<void> {
    const server = await startTestServer({ TRUST_PROXY: '1', ...(await env()) })
    try {
      await work({ server, owner: await signUp(server) })
    } finally {
      await server.stop()
    }
  }

  async function scan({ server, owner }: Place, zip: Buffer, stored: Buffer, options: RunOptions = {}) {
    const build = await insertBuild(server, (await insertPublicGame(server, owner)).uid)
    const file = await storeFile(server, build, zip)
    await server.deps.objects.put(file.objectKey, stored)
    await runScanNow(server, file.uid, options)
    return await findFile(server, file.uid)
  }

  testHere('with any bit flipped is refused, counted and removed', async () => {
    await withServer(async (place) => {
      for (const [what, zip, at] of PLACES) {
        const incidents: Incident[] = []
        const found = await scan(place, zip, flipBit(zip, at), {
          countIncident: (kind) => incidents.push(kind),
        })
        expect({ what, scan: found?.scan, detail: found?.scanDetail }).toEqual({
          what,
          scan: 'error',
          detail: expect.stringContaining(REASON),
        })
        expect(incidents).toEqual(['stored_bytes_differ'])
        await waitFor('the object is removed', async () => {
          return (await place.server.deps.objects.head(found?.objectKey ?? '')) === null
        })
      }
    })
  })

  testHere('as it was uploaded is clean, and a damaged upload is told as such', async () => {
    await withServer(async (place) => {
      const countIncident = () => expect.unreachable()
      for (const zip of [SMALL, LARGE])
        expect(await scan(place, zip, zip, { countIncident })).toMatchObject({ scan: 'clean' })
      const damaged = makeZip([{ name: 'a.txt', data: 'hello', crc: 1 }])
      expect(await scan(place, damaged, damaged, { countIncident })).toMatchObject({
        scan: 'error',
        scanDetail: expect.stringContaining('its checksum does not fit'),
      })
    })
  })
})
