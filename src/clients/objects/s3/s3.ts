import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  paginateListObjectsV2,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'

import type { S3Settings } from '../../../domain/service-settings.ts'
import { AppError } from '../../../errors.ts'
import { createTimeSlices } from '../../../lib/flow/time-slices.ts'
import { createBlockPool } from '../body/body-blocks.ts'
import { PAUSE_MS, ReservedSlice } from '../body/sliced-body.ts'
import { attachmentDisposition } from '../content-disposition.ts'
import { requireKey, requirePrefix } from '../keys.ts'
import { rangeOutside } from '../object-ranges.ts'
import {
  type ByteRange,
  DEFAULT_CONTENT_TYPE,
  LINK_SECONDS,
  type ObjectInfo,
  type ObjectRead,
  type ObjectStore,
} from '../object-store.ts'
import { OWNER_NAME, parseOwnerNote, writeOwnerNote } from '../storage-owner.ts'
import {
  createS3Client,
  describeFault,
  isMissing,
  isNotImplemented,
  isOutsideRange,
  isTaken,
  toInfo,
} from './s3-client.ts'
import { createS3Copies } from './s3-copies.ts'
import { type Bucket, PARALLEL_PARTS, PART_SIZE } from './s3-parts.ts'
import { putInParts } from './s3-put.ts'
import { createS3Uploads } from './s3-uploads.ts'

/** How many parts of all bodies may be in memory, and of the bodies of one owner. */
const PARTS_MAX = 8
const OWNER_PARTS_MAX = 5
const SLICE_MS = 1000

/** The bucket must belong to Playshelf alone: `sweepUploads` aborts every abandoned upload in it. */
export function createS3Store(settings: S3Settings): ObjectStore {
  const bucket = {
    client: createS3Client(settings),
    Bucket: settings.bucket,
    blocks: createBlockPool(PART_SIZE, PARALLEL_PARTS + 1),
    slices: createTimeSlices({ slots: PARTS_MAX, perOwner: OWNER_PARTS_MAX, sliceMs: SLICE_MS }),
  }
  const { client, Bucket } = bucket
  const { publicEndpoint } = settings
  const linkClient =
    publicEndpoint === null ? client : createS3Client({ ...settings, endpoint: publicEndpoint })

  async function head(key: string): Promise<ObjectInfo | null> {
    try {
      return toInfo(key, await client.send(new HeadObjectCommand({ Bucket, Key: requireKey(key) })))
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
  }

  async function requireObject(key: string): Promise<ObjectInfo> {
    const info = await head(key)
    if (!info) throw new AppError('not_found')
    return info
  }

  async function get(key: string, range?: ByteRange): Promise<ObjectRead> {
    const Range = range && toHeader(range)
    try {
      const answer = await client.send(
        new GetObjectCommand({ Bucket, Key: requireKey(key), ...(Range && { Range }) }),
      )
      const whole = Number(answer.ContentRange?.split('/')[1] ?? answer.ContentLength ?? 0)
      const info = toInfo(key, { ...answer, ContentLength: whole })
      const stream = answer.Body?.transformToWebStream() ?? new Blob([]).stream()
      return { stream, size: answer.ContentLength ?? 0, info }
    } catch (error) {
      if (isMissing(error)) throw new AppError('not_found')
      throw isOutsideRange(error) ? rangeOutside(error) : error
    }
  }

  const uploads = createS3Uploads(bucket)

  return {
    ...uploads,
    ...createS3Owner(bucket),
    appendRanges: createS3Copies({ ...uploads, get }),
    get,
    head,

    /** S3 does not report free space, so nothing is refused. */
    async requireRoom() {},

    acquireSlot: async (owner, signal) =>
      new ReservedSlice(await bucket.slices.acquire(owner, signal), PAUSE_MS),

    async put(key, body, options = {}) {
      await putInParts(bucket, requireKey(key), body, options)
      return requireObject(key)
    },

    async delete(key) {
      await client.send(new DeleteObjectCommand({ Bucket, Key: requireKey(key) }))
    },

    /** One request copies up to 5 GB, which is also the maximum file size. */
    async copy(from, to) {
      const CopySource = `${Bucket}/${requireKey(from)}`
      try {
        await client.send(new CopyObjectCommand({ Bucket, Key: requireKey(to), CopySource }))
      } catch (error) {
        throw isMissing(error) ? new AppError('not_found') : error
      }
      return requireObject(to)
    },

    async *list(prefix) {
      for await (const page of paginateListObjectsV2({ client }, { Bucket, Prefix: requirePrefix(prefix) })) {
        for (const { Key = '.', Size, ETag, LastModified } of page.Contents ?? []) {
          if (Key.startsWith('.')) continue
          yield toInfo(Key, { ContentLength: Size, ETag, LastModified })
        }
      }
    },

    /** Signatures have a resolution of one second, so the expiry is rounded to match. */
    async signedLink(key, { filename, expiresInSeconds = LINK_SECONDS, contentType }) {
      const signingDate = new Date(Math.floor(Date.now() / 1000) * 1000)
      const command = new GetObjectCommand({
        Bucket,
        Key: requireKey(key),
        ResponseContentDisposition: attachmentDisposition(filename),
        ResponseContentType: contentType ?? DEFAULT_CONTENT_TYPE,
      })
      const url = await getSignedUrl(linkClient, command, { expiresIn: expiresInSeconds, signingDate })
      return { url, expires_at: new Date(signingDate.getTime() + expiresInSeconds * 1000).toISOString() }
    },

    localPath: () => null,
    localLinks: null,

    async check() {
      try {
        const abortSignal = AbortSignal.timeout(5_000)
        await client.send(new ListObjectsV2Command({ Bucket, MaxKeys: 1 }), { abortSignal })
      } catch (error) {
        const cause = error instanceof AppError ? error.cause : error
        throw new AppError('service_down', { message: describeFault(cause, settings), cause })
      }
    },

    async dispose() {
      client.destroy()
      linkClient.destroy()
    },
  }
}

function toHeader(range: ByteRange): string {
  return 'suffix' in range ? `bytes=-${range.suffix}` : `bytes=${range.start}-${range.end ?? ''}`
}

const TIMEOUT_MS = 5000

function createS3Owner({ client, Bucket }: Bucket): Pick<ObjectStore, 'readOwner' | 'writeOwner'> {
  const put = (id: string, condition: { IfNoneMatch?: string }) =>
    client.send(
      new PutObjectCommand({
        Bucket,
        Key: OWNER_NAME,
        Body: writeOwnerNote(id),
        ContentType: 'application/json',
        ...condition,
      }),
    )
  return {
    async readOwner() {
      try {
        const abortSignal = AbortSignal.timeout(TIMEOUT_MS)
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: OWNER_NAME }), { abortSignal })
        return parseOwnerNote((await Body?.transformToString()) ?? '')
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
    },

    async writeOwner(id, { replace = false } = {}) {
      try {
        await put(id, replace ? {} : { IfNoneMatch: '*' })
      } catch (error) {
        if (isTaken(error)) return
        // Some servers do not support conditional writes; the caller reads the id back in any case.
        if (!isNotImplemented(error)) throw error
        await put(id, {})
      }
    },
  }
}
