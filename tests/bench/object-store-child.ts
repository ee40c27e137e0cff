import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'

import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'

import { openObjectStore } from '../../src/clients/objects/open-object-store.ts'
import { PARALLEL_PARTS, PART_SIZE } from '../../src/clients/objects/s3/s3-parts.ts'
import type { ObjectStoreCase } from './object-store.ts'

const MIB = 1024 * 1024
const CHUNK = new Uint8Array(MIB).map((_, index) => (index * 31) % 251)

type Settings = ObjectStoreCase['settings']
type S3 = Extract<Settings, { kind: 's3' }>

/** Allocates new memory for every chunk, like a socket does. */
function makeStream(bytes: number): ReadableStream<Uint8Array> {
  let left = bytes
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(CHUNK.slice())
        left -= MIB
        if (left <= 0) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}

async function writePlainFile(folder: string, bytes: number): Promise<void> {
  const path = join(folder, 'raw')
  const file = await open(path, 'w')
  try {
    for (let done = 0; done < bytes; done += MIB) await file.write(CHUNK.slice())
    await file.datasync()
  } finally {
    await file.close()
  }
  await rm(path)
}

/** Uses only the SDK, with as many concurrent parts as the store; each worker fills the part it sends. */
async function uploadPlainParts(settings: S3, bytes: number): Promise<void> {
  const { bucket: Bucket, endpoint, region, accessKeyId, secretAccessKey } = settings
  const client = new S3Client({
    ...(endpoint !== null && { endpoint }),
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: settings.pathStyle,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  })
  const Key = `raw-${crypto.randomUUID()}`
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }))
  const Parts: { PartNumber: number; ETag: string | undefined }[] = []
  let next = 1
  const sendParts = async () => {
    const Body = new Uint8Array(PART_SIZE)
    while (next <= bytes / PART_SIZE) {
      const PartNumber = next++
      for (let offset = 0; offset < PART_SIZE; offset += MIB) Body.set(CHUNK.slice(), offset)
      const { ETag } = await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }))
      Parts.push({ PartNumber, ETag })
    }
  }
  await Promise.all(Array.from({ length: PARALLEL_PARTS }, sendParts))
  Parts.sort((a, b) => a.PartNumber - b.PartNumber)
  await client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }))
  await client.send(new DeleteObjectCommand({ Bucket, Key }))
  client.destroy()
}

async function runCase({ way, settings, bytes, appendBytes }: ObjectStoreCase): Promise<void> {
  if (way === 'raw') {
    return settings.kind === 'folder'
      ? writePlainFile(settings.path, bytes)
      : uploadPlainParts(settings, bytes)
  }
  const objects = await openObjectStore(settings, {
    baseUrl: 'http://localhost',
    linkKeys: { signing: 'unused' },
  })
  const key = `bench/${crypto.randomUUID()}`
  if (way === 'put') {
    await objects.put(key, makeStream(bytes))
  } else {
    const upload = await objects.openUpload(key)
    for (let done = 0; done < bytes; done += appendBytes)
      await objects.append(upload, makeStream(appendBytes))
    await objects.completeUpload(upload)
  }
  const size = (await objects.head(key))?.size
  if (size !== bytes) throw new Error(`${bytes} bytes were sent, ${size} are stored`)
  await objects.delete(key)
  await objects.dispose()
}

const task = JSON.parse(process.argv[2] ?? '') as ObjectStoreCase
const started = performance.now()
await runCase(task)
const seconds = (performance.now() - started) / 1000
const peakKb = /VmHWM:\s+(\d+)/.exec(await Bun.file('/proc/self/status').text())?.[1]
console.log(JSON.stringify({ seconds, peakRssMb: Number(peakKb) / 1024 }))
