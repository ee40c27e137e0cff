import { open } from 'node:fs/promises'
import { Transform } from 'node:stream'

import { FileStore } from '@tus/file-store'
import { S3Store } from '@tus/s3-store'
import { type DataStore, Server, type Upload } from '@tus/server'

import { parseConfig } from '../../../src/config/config.ts'

/**
 * The reference server for resumable uploads, on the same storage and with the same promise: before the last answer
 * the SHA-256 of the stored bytes is compared with the client's, and a file in a folder is synced to disk.
 */
const { storage } = parseConfig(process.env)
const hashes = new Map<string, Bun.CryptoHasher>()
const datastore = hashing(
  storage.kind === 'folder' ? new FileStore({ directory: storage.path }) : openS3(storage),
)
const server = new Server({ path: '/files', datastore, onUploadFinish: check })

/** Hashes on the way in: reading the file back in `onUploadFinish` would come after the last byte, and is slower. */
function hashing(store: DataStore): DataStore {
  const write = store.write.bind(store)
  store.write = async (source, id, offset) => {
    const hash = hashes.get(id) ?? new Bun.CryptoHasher('sha256')
    hashes.set(id, hash)
    const hashed = new Transform({
      transform(bytes: Uint8Array, _, callback) {
        hash.update(bytes)
        callback(null, bytes)
      },
    })
    source.on('error', (error) => hashed.destroy(error))
    return await write(source.pipe(hashed), id, offset)
  }
  return store
}

async function check(_: Request, { id, metadata, storage: stored }: Upload) {
  const checksum = hashes.get(id)?.digest('hex')
  hashes.delete(id)
  if (stored?.type === 'file') await sync(stored.path)
  return { status_code: checksum === metadata?.['checksum'] ? 204 : 460 }
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r+')
  await file.datasync()
  await file.close()
}

function openS3({
  bucket,
  endpoint,
  region,
  accessKeyId,
  secretAccessKey,
}: Extract<typeof storage, { kind: 's3' }>) {
  return new S3Store({
    s3ClientConfig: {
      bucket,
      region,
      forcePathStyle: true,
      credentials: { accessKeyId, secretAccessKey },
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
