import { HeadObjectCommand } from '@aws-sdk/client-s3'

import { BoundedCache } from '../../lib/bounded-cache.ts'
import type { TimeSlice } from '../../lib/time-slices.ts'
import { sendInBlocks, throwFailure } from './body-blocks.ts'
import { requireKey } from './keys.ts'
import { type AppendOptions, DEFAULT_CONTENT_TYPE, type ObjectStore } from './object-store.ts'
import {
  abortMultipart,
  type Bucket,
  completeMultipart,
  copyParts,
  type Multipart,
  openMultipart,
  PARALLEL_PARTS,
  type Part,
  PART_SIZE,
  uploadPart,
} from './s3-parts.ts'
import { isMissing, toInfo } from './s3-responses.ts'
import { deleteTail, deleteTails, getTail, headTail, putTail } from './s3-tails.ts'
import { listParts, type PartsFound, sweepUploads } from './s3-upload-state.ts'
import { SlicedBody } from './sliced-body.ts'
import { decodeUploadId, encodeUploadId, uploadGone } from './upload-id.ts'

type Uploads = Pick<
  ObjectStore,
  'openUpload' | 'append' | 'uploadSize' | 'completeUpload' | 'abortUpload' | 'sweepUploads'
>

export interface PartCopies {
  /** Appends whole parts of another object to an upload without a tail, and returns the new size. */
  appendParts(upload: string, parts: number, source: { key: string; from: number }): Promise<number>
}

const MAX_KNOWN = 1000

type Seen = Pick<PartsFound, 'count' | 'stray'>

/**
 * An upload is an S3 multipart upload of equal parts, plus an object with the tail that does not fill a part.
 * The tail is named by the number of whole parts before it, so it is ignored once it has become part of one.
 */
export function createS3Uploads(bucket: Bucket): Uploads & PartCopies {
  // What this process saw last. Only shortens listings; parts added by other processes are still found.
  const known = new BoundedCache<Seen>({ maxEntries: MAX_KNOWN })

  async function list(upload: string): Promise<Seen> {
    const seen = await orGone(listParts(bucket, toMultipart(upload), known.get(upload)?.count))
    known.set(upload, seen)
    return seen
  }

  /** The whole parts; those after a gap are made unusable. */
  async function countParts(upload: string): Promise<number> {
    const multipart = toMultipart(upload)
    const { count, stray } = await list(upload)
    // A part after a gap must not count once the gap is filled, so it is overwritten with a single byte.
    for (const number of stray) await uploadPart(bucket, multipart, number, new Uint8Array(1))
    return count
  }

  /** The parts, if an upload of this size is known to have nothing else: then nothing needs to be listed. */
  function partsOf(upload: string, size: number | undefined): number | null {
    const seen = known.get(upload)
    return seen?.stray.length === 0 && seen.count * PART_SIZE === size ? seen.count : null
  }

  async function appendPieces(
    upload: string,
    pieces: AsyncIterable<Uint8Array>,
    slice: TimeSlice,
    { size, release }: AppendOptions,
  ): Promise<number> {
    const multipart = toMultipart(upload)
    const onlyParts = partsOf(upload, size)
    const before = onlyParts ?? (await countParts(upload))
    const tail = onlyParts === null ? await getTail(bucket, multipart, before) : new Uint8Array()
    let count = before
    using sent = await sendInBlocks(pieces, {
      pool: bucket.blocks,
      slice,
      parallel: PARALLEL_PARTS,
      head: tail,
      release,
      send: async (bytes) => void (await uploadPart(bucket, multipart, ++count, bytes)),
    })
    if (sent.rest.length > 0) await putTail(bucket, multipart, count, sent.rest)
    known.set(upload, { count, stray: [] })
    if (tail.length > 0 && count > before) await deleteTail(bucket, multipart, before)
    throwFailure(sent.bodyFailure)
    return count * PART_SIZE + sent.rest.length
  }

  /** Makes the tail the last part. A part that is empty is sent only if there is no other. */
  async function sendTail(multipart: Multipart, count: number): Promise<Part[]> {
    using slots = new DisposableStack()
    slots.use(await bucket.slices.acquire())
    const tail = await getTail(bucket, multipart, count)
    if (tail.length === 0 && count > 0) return []
    return [await uploadPart(bucket, multipart, count + 1, tail)]
  }

  return {
    async openUpload(key) {
      const token = crypto.randomUUID()
      const extra = { ContentType: DEFAULT_CONTENT_TYPE, Metadata: { upload: token } }
      const { UploadId } = await openMultipart(bucket, requireKey(key), extra)
      return encodeUploadId({ key, token, remote: UploadId })
    },

    async append(upload, body, options = {}) {
      using source = new SlicedBody(body, bucket.slices, options)
      let { size } = options
      do {
        using slice = await source.acquireSlice()
        size = await appendPieces(upload, source.read(slice), slice, { ...options, size })
      } while (!source.isOver)
      return size
    },

    async appendParts(upload, parts, source) {
      const multipart = toMultipart(upload)
      const before = await countParts(upload)
      await copyParts(bucket, multipart, { ...source, first: before + 1, parts })
      known.set(upload, { count: before + parts, stray: [] })
      return (before + parts) * PART_SIZE
    },

    async uploadSize(upload) {
      const multipart = toMultipart(upload)
      const likely = known.get(upload)?.count ?? 0
      const [{ count }, tail] = await Promise.all([list(upload), headTail(bucket, multipart, likely)])
      return count * PART_SIZE + (count === likely ? tail : await headTail(bucket, multipart, count))
    },

    async completeUpload(upload) {
      const { key, token } = decodeUploadId(upload)
      const multipart = toMultipart(upload)
      try {
        const { count, whole } = await listParts(bucket, multipart)
        await completeMultipart(bucket, multipart, [...whole, ...(await sendTail(multipart, count))])
        await deleteTails(bucket, multipart)
      } catch (error) {
        if (!isMissing(error)) throw error
      }
      const { client, Bucket } = bucket
      const answer = await orGone(client.send(new HeadObjectCommand({ Bucket, Key: key })))
      if (answer.Metadata?.['upload'] !== token) throw uploadGone()
      return toInfo(key, answer)
    },

    async abortUpload(upload) {
      const multipart = toMultipart(upload)
      await abortMultipart(bucket, multipart).catch((error) => {
        if (!isMissing(error)) throw error
      })
      await deleteTails(bucket, multipart)
    },

    sweepUploads: (openedBefore) => sweepUploads(bucket, openedBefore),
  }
}

function toMultipart(upload: string): Multipart {
  const { key, remote } = decodeUploadId(upload)
  return { Key: key, UploadId: remote }
}

async function orGone<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise
  } catch (error) {
    throw isMissing(error) ? uploadGone() : error
  }
}
