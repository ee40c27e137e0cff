import {
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListPartsCommand,
  type ListPartsCommandOutput,
} from '@aws-sdk/client-s3'

import { BoundedCache } from '../../../lib/cache/bounded-cache.ts'
import type { TimeSlice } from '../../../lib/flow/time-slices.ts'
import { sendInBlocks, throwFailure } from '../body/body-blocks.ts'
import { SlicedBody } from '../body/sliced-body.ts'
import { decodeUploadId, encodeUploadId, requireKey, uploadGone } from '../keys.ts'
import { type AppendOptions, DEFAULT_CONTENT_TYPE, type ObjectStore } from '../object-store.ts'
import { isMissing, toInfo } from './s3-client.ts'
import {
  abortMultipart,
  type Bucket,
  completeMultipart,
  copyParts,
  deleteTail,
  deleteTails,
  deleteTailsOlderThan,
  getTail,
  headTail,
  type Multipart,
  openMultipart,
  PARALLEL_PARTS,
  type Part,
  PART_SIZE,
  putTail,
  uploadPart,
} from './s3-parts.ts'

type Uploads = Pick<
  ObjectStore,
  | 'openUpload'
  | 'append'
  | 'truncateUpload'
  | 'uploadSize'
  | 'completeUpload'
  | 'abortUpload'
  | 'sweepUploads'
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
    const multipart = toMultipart(upload)
    const before = known.get(upload)?.count ?? 0
    // The last part that was seen is listed again: if another process truncated the upload, it is gone.
    let seen = await orGone(listParts(bucket, multipart, Math.max(0, before - 1)))
    if (seen.count < before) seen = await orGone(listParts(bucket, multipart))
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
  ): Promise<{ size: number; before: number; hasTail: boolean }> {
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
    throwFailure(sent.bodyFailure)
    return { size: count * PART_SIZE + sent.rest.length, before, hasTail: tail.length > 0 }
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
      const tails = new Set<number>()
      let { size } = options
      do {
        using slice = await source.acquireSlice()
        const added = await appendPieces(upload, source.read(slice), slice, { ...options, size })
        size = added.size
        if (added.hasTail) tails.add(added.before)
      } while (!source.isOver)
      // Kept until here: `truncateUpload` needs the first one.
      tails.delete(Math.floor(size / PART_SIZE))
      for (const before of tails) await deleteTail(bucket, toMultipart(upload), before)
      return size
    },

    async truncateUpload(upload, size) {
      const multipart = toMultipart(upload)
      const kept = Math.floor(size / PART_SIZE)
      const { count } = await list(upload)
      // A part cannot be deleted, but a single byte in its place does not count.
      for (let number = count; number > kept; number -= 1) {
        await deleteTail(bucket, multipart, number)
        await uploadPart(bucket, multipart, number, new Uint8Array(1))
      }
      known.set(upload, { count: kept, stray: [] })
      const tail = await getTail(bucket, multipart, kept)
      const rest = size % PART_SIZE
      if (rest === 0) await deleteTail(bucket, multipart, kept)
      else if (tail.length > rest) await putTail(bucket, multipart, kept, tail.subarray(0, rest))
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

interface PartsFound {
  /** The number of whole parts without a gap, counted from the first. */
  count: number
  /** Those of them that were listed. */
  whole: Part[]
  /** Numbers of whole parts after a gap. */
  stray: number[]
}

/**
 * Lists the parts after the first `known` ones, which the caller has seen before. A short part is a copy of the tail,
 * left by a failed completion, or one that was taken back, and is ignored.
 */
async function listParts({ client, Bucket }: Bucket, multipart: Multipart, known = 0): Promise<PartsFound> {
  const found: PartsFound = { count: known, whole: [], stray: [] }
  let PartNumberMarker: string | undefined = String(known)
  do {
    const page: ListPartsCommandOutput = await client.send(
      new ListPartsCommand({ Bucket, ...multipart, PartNumberMarker }),
    )
    // The SDK's paginator continues while there is a marker, but Ceph sends one on the last page too.
    PartNumberMarker = page.IsTruncated ? page.NextPartNumberMarker : undefined
    for (const { PartNumber = 0, ETag = '', Size } of page.Parts ?? []) {
      if (Size !== PART_SIZE) continue
      if (PartNumber === found.count + 1) {
        found.whole.push({ PartNumber, ETag })
        found.count++
      } else {
        found.stray.push(PartNumber)
      }
    }
  } while (PartNumberMarker !== undefined)
  return found
}

async function sweepUploads(bucket: Bucket, before: Date): Promise<number> {
  const { client, Bucket } = bucket
  let swept = 0
  let marker: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | null = {}
  while (marker) {
    const page: ListMultipartUploadsCommandOutput = await client.send(
      new ListMultipartUploadsCommand({ Bucket, ...marker }),
    )
    marker = page.IsTruncated
      ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
      : null
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (Key === undefined || UploadId === undefined || !Initiated || Initiated >= before) continue
      await abortMultipart(bucket, { Key, UploadId }).catch((error) => {
        if (!isMissing(error)) throw error
      })
      swept++
    }
  }
  await deleteTailsOlderThan(bucket, before)
  return swept
}
