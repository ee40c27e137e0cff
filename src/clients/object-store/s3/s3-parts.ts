import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'

import type { TimeSlices } from '../../../lib/flow/time-slices.ts'
import type { BlockPool } from '../body/body-blocks.ts'

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

export interface PartSource {
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
