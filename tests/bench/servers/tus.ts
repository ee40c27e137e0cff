import { FileStore } from '@tus/file-store'
import { S3Store } from '@tus/s3-store'
import { Server } from '@tus/server'

import { parseConfig } from '../../../src/config.ts'

/** The reference server for resumable uploads, on the same storage. It computes no checksum. */
const { storage } = parseConfig(process.env)
const datastore = storage.kind === 'folder' ? new FileStore({ directory: storage.path }) : openS3(storage)
const server = new Server({ path: '/files', datastore })

function openS3({
  bucket,
  endpoint,
  region,
  accessKeyId,
  secretAccessKey,
}: Extract<typeof storage, { kind: 's3' }>) {
  return new S3Store({
    s3ClientConfig: {
      ...{ bucket, region, forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } },
      ...(endpoint !== null && { endpoint }),
      requestChecksumCalculation: 'WHEN_REQUIRED',
    },
  })
}

Bun.serve({
  port: Number(process.env['PORT']),
  hostname: '127.0.0.1',
  maxRequestBodySize: 6 * 1024 ** 3,
  fetch: (request) =>
    new URL(request.url).pathname === '/' ? new Response('ready') : server.handleWeb(request),
})
