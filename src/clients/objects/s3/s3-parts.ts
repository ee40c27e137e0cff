import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'

import type { TimeSlices } from '../../../lib/flow/time-slices.ts'
import type { BlockPool } from '../body/body-blocks.ts'
import { isMissing } from './s3-client.ts'

export interface Bucket {
  client: S3Client
  Bucket: string
  blocks: BlockPool
  slices: TimeSlices
}

export interface Part {
  PartNumber: number
  ETag: string
}

/**
 * The size of every part but the last. Some stores require equal parts, and with the limit of 10,000 parts an
 * upload can have 80 GB, however small the chunks in which it arrives.
 */
export const PART_SIZE = 8 * 1024 * 1024
/** Of one body, while another part of it is being filled. */
export const PARALLEL_PARTS = 2
/** Copies need no memory here. */
const PARALLEL_COPIES = 4

export interface Multipart {
  Key: string
  UploadId: string
}

export async function openMultipart(
  { client, Bucket }: Bucket,
  Key: string,
  extra: { ContentType: string; Metadata?: Record<string, string> },
): Promise<Multipart> {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key, ...extra }))
  if (UploadId === undefined) throw new Error('The object store opened an upload without naming it')
  return { Key, UploadId }
}

export async function uploadPart(
  { client, Bucket }: Bucket,
  multipart: Multipart,
  PartNumber: number,
  Body: Uint8Array,
): Promise<Part> {
  const { ETag = '' } = await client.send(new UploadPartCommand({ Bucket, ...multipart, PartNumber, Body }))
  return { PartNumber, ETag }
}

interface PartSource {
  key: string
  /** Where the bytes of the first part begin. */
  from: number
  /** The number of the first part. */
  first: number
  parts: number
}

/** The store copies the bytes itself. Settles only when no copy is in flight any more. */
export async function copyParts(
  { client, Bucket }: Bucket,
  multipart: Multipart,
  { key, from, first, parts }: PartSource,
): Promise<void> {
  for (let done = 0; done < parts; done += PARALLEL_COPIES) {
    const batch = Array.from({ length: Math.min(PARALLEL_COPIES, parts - done) }, async (_, index) => {
      const start = from + (done + index) * PART_SIZE
      await client.send(
        new UploadPartCopyCommand({
          Bucket,
          ...multipart,
          PartNumber: first + done + index,
          CopySource: `${Bucket}/${key}`,
          CopySourceRange: `bytes=${start}-${start + PART_SIZE - 1}`,
        }),
      )
    })
    const failed = (await Promise.allSettled(batch)).find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
  }
}

export async function completeMultipart({ client, Bucket }: Bucket, multipart: Multipart, parts: Part[]) {
  const Parts = parts.toSorted((a, b) => a.PartNumber - b.PartNumber)
  await client.send(new CompleteMultipartUploadCommand({ Bucket, ...multipart, MultipartUpload: { Parts } }))
}

export async function abortMultipart({ client, Bucket }: Bucket, multipart: Multipart): Promise<void> {
  await client.send(new AbortMultipartUploadCommand({ Bucket, ...multipart }))
}

/** The end of an upload that does not fill a part is stored here, named by the number of parts before it. */
const TAILS = '.uploads/'

export async function putTail(
  { client, Bucket }: Bucket,
  multipart: Multipart,
  after: number,
  Body: Uint8Array,
) {
  await client.send(new PutObjectCommand({ Bucket, Key: tailKey(multipart, after), Body }))
}

export async function getTail(
  { client, Bucket }: Bucket,
  multipart: Multipart,
  after: number,
): Promise<Uint8Array> {
  try {
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: tailKey(multipart, after) }))
    return (await Body?.transformToByteArray()) ?? new Uint8Array()
  } catch (error) {
    if (isMissing(error)) return new Uint8Array()
    throw error
  }
}

export async function headTail(
  { client, Bucket }: Bucket,
  multipart: Multipart,
  after: number,
): Promise<number> {
  try {
    const { ContentLength = 0 } = await client.send(
      new HeadObjectCommand({ Bucket, Key: tailKey(multipart, after) }),
    )
    return ContentLength
  } catch (error) {
    if (isMissing(error)) return 0
    throw error
  }
}

export async function deleteTail(
  { client, Bucket }: Bucket,
  multipart: Multipart,
  after: number,
): Promise<void> {
  await client.send(new DeleteObjectCommand({ Bucket, Key: tailKey(multipart, after) }))
}

export async function deleteTails(bucket: Bucket, multipart: Multipart): Promise<void> {
  await deleteOlder(bucket, tailFolder(multipart), null)
}

/** Covers the tails of all uploads. */
export async function deleteTailsOlderThan(bucket: Bucket, before: Date): Promise<void> {
  await deleteOlder(bucket, TAILS, before)
}

async function deleteOlder({ client, Bucket }: Bucket, Prefix: string, before: Date | null): Promise<void> {
  for await (const page of paginateListObjectsV2({ client }, { Bucket, Prefix })) {
    for (const { Key, LastModified } of page.Contents ?? []) {
      if (before && LastModified && LastModified >= before) continue
      await client.send(new DeleteObjectCommand({ Bucket, Key }))
    }
  }
}

/** Hashed, because upload ids of some stores contain characters that are unsafe in keys. */
function tailFolder({ UploadId }: Multipart): string {
  return `${TAILS}${Bun.SHA256.hash(UploadId, 'hex').slice(0, 40)}/`
}

function tailKey(multipart: Multipart, after: number): string {
  return `${tailFolder(multipart)}${after}`
}
