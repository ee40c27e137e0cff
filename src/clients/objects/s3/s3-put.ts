import { PutObjectCommand } from '@aws-sdk/client-s3'

import { sendInBlocks, throwFailure } from '../body/body-blocks.ts'
import { SlicedBody } from '../body/sliced-body.ts'
import { type Body, DEFAULT_CONTENT_TYPE, type PutOptions } from '../object-store.ts'
import {
  abortMultipart,
  type Bucket,
  completeMultipart,
  deleteTails,
  getTail,
  type Multipart,
  openMultipart,
  PARALLEL_PARTS,
  type Part,
  PART_SIZE,
  putTail,
  uploadPart,
} from './s3-parts.ts'

/** Sends a short body in one request, a longer one as a multipart upload that is aborted on any error. */
export async function putInParts(
  bucket: Bucket,
  Key: string,
  body: Body,
  options: PutOptions,
): Promise<void> {
  const { client, Bucket } = bucket
  const { contentType: ContentType = DEFAULT_CONTENT_TYPE, release } = options
  const parts: Part[] = []
  const upload: { opening?: Promise<Multipart>; hasTail: boolean } = { hasTail: false }
  let count = 0

  const open = () => (upload.opening ??= openMultipart(bucket, Key, { ContentType }))

  async function sendPart(bytes: Uint8Array): Promise<void> {
    const PartNumber = ++count
    parts.push(await uploadPart(bucket, await open(), PartNumber, bytes))
  }

  async function finish(rest: Uint8Array): Promise<void> {
    if (upload.opening === undefined) {
      await client.send(new PutObjectCommand({ Bucket, Key, Body: rest, ContentType }))
      return
    }
    if (rest.length > 0) await sendPart(rest)
    await completeMultipart(bucket, await upload.opening, parts)
  }

  /** Sends slices until the body ends. Bytes of a slice that do not fill a part are stored as a tail. */
  async function sendInSlices(source: SlicedBody): Promise<void> {
    while (!source.isOver) {
      using slice = await source.acquireSlice()
      const head = upload.hasTail ? await getTail(bucket, await open(), count) : new Uint8Array()
      using sent = await sendInBlocks(source.read(slice), {
        pool: bucket.blocks,
        slice,
        parallel: PARALLEL_PARTS,
        head,
        release,
        send: sendPart,
      })
      throwFailure(sent.bodyFailure)
      if (source.isOver) return await finish(sent.rest)
      upload.hasTail = true
      await putTail(bucket, await open(), count, sent.rest)
    }
  }

  options.signal?.throwIfAborted()
  // Bytes that are already in memory need no slot.
  if (body instanceof Uint8Array && body.byteLength <= PART_SIZE) return await finish(body)
  using source = new SlicedBody(body, bucket.slices, options)
  try {
    await sendInSlices(source)
    if (upload.hasTail) await deleteTails(bucket, await open())
  } catch (error) {
    // The first error is more useful than one from the cleanup; leftovers are swept later.
    await upload.opening?.then((multipart) => clear(bucket, multipart)).catch(() => undefined)
    throw error
  }
}

async function clear(bucket: Bucket, multipart: Multipart): Promise<void> {
  await abortMultipart(bucket, multipart)
  await deleteTails(bucket, multipart)
}
