import { afterEach, expect, test } from 'bun:test'

import { UploadPartCommand } from '@aws-sdk/client-s3'

import { createS3Client } from '../../../../../src/clients/objects/s3/s3-client.ts'
import { makeBytes, MIB, sameBytes } from '../../../../contract/object-store-bytes.ts'

const stopping: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop()
})

function sendPart(port: number, Body: Uint8Array) {
  const client = createS3Client({
    endpoint: `http://127.0.0.1:${port}`,
    publicEndpoint: null,
    region: 'none',
    bucket: 'b',
    pathStyle: true,
    accessKeyId: 'key',
    secretAccessKey: 'secret',
  })
  stopping.push(() => client.destroy())
  return client.send(new UploadPartCommand({ Bucket: 'b', Key: 'k', UploadId: 'u', PartNumber: 1, Body }))
}

test('a part that the store refuses for the moment is sent again as a whole', async () => {
  const received: { bytes: Uint8Array; length: string | null }[] = []
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      received.push({
        bytes: new Uint8Array(await request.arrayBuffer()),
        length: request.headers.get('content-length'),
      })
      if (received.length < 3) return new Response('<Error><Code>SlowDown</Code></Error>', { status: 503 })
      return new Response('', { headers: { etag: '"done"' } })
    },
  })
  stopping.push(() => server.stop(true))
  const bytes = makeBytes(5 * MIB + 1)
  expect((await sendPart(server.port ?? 0, bytes)).ETag).toBe('"done"')
  expect(received.map(({ length }) => length)).toEqual(Array(3).fill(String(bytes.length)))
  expect(received.every((attempt) => sameBytes(attempt.bytes, bytes))).toBe(true)
})
