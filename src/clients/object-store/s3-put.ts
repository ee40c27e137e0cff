import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'

import { type BlockPool, sendInBlocks, throwFailure } from './body-blocks.ts'
import { type Body, DEFAULT_CONTENT_TYPE, type PutOptions } from './object-store.ts'

export interface Bucket {
  client: S3Client
  Bucket: string
  blocks: BlockPool
}

export interface Part {
  PartNumber: number
  ETag: string
}

/**
 * Every part but the last has this size: some stores insist on equal parts, and 10,000 of them hold 80 GB however
 * small the pieces are in which a file arrives.
 */
export const PART_SIZE = 8 * 1024 * 1024
export const PARALLEL_PARTS = 2

export interface Multipart {
  Key: string
  UploadId: string
}

/** A short body is one request; a longer one an upload that is ended when anything fails. */
export async function putInParts(
  bucket: Bucket,
  Key: string,
  body: Body,
  options: PutOptions,
): Promise<void> {
  const { client, Bucket } = bucket
  const { contentType: ContentType = DEFAULT_CONTENT_TYPE, signal } = options
  const parts: Part[] = []
  const upload: { opening?: Promise<Multipart> } = {}
  let count = 0

  async function sendPart(bytes: Uint8Array): Promise<void> {
    const PartNumber = ++count
    upload.opening ??= openMultipart(bucket, Key, { ContentType })
    parts.push(await uploadPart(bucket, await upload.opening, PartNumber, bytes))
  }

  try {
    using sent = await sendInBlocks(body, {
      pool: bucket.blocks,
      parallel: PARALLEL_PARTS,
      signal,
      send: sendPart,
    })
    throwFailure(sent.bodyFailure)
    if (upload.opening === undefined) {
      await client.send(new PutObjectCommand({ Bucket, Key, Body: sent.rest, ContentType }))
      return
    }
    if (sent.rest.length > 0) await sendPart(sent.rest)
    await completeMultipart(bucket, await upload.opening, parts)
  } catch (error) {
    // The first error tells more than one of the cleaning; what stays behind is swept later.
    await upload.opening?.then((multipart) => abortMultipart(bucket, multipart)).catch(() => undefined)
    throw error
  }
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

export async function completeMultipart({ client, Bucket }: Bucket, multipart: Multipart, parts: Part[]) {
  const Parts = parts.toSorted((a, b) => a.PartNumber - b.PartNumber)
  await client.send(new CompleteMultipartUploadCommand({ Bucket, ...multipart, MultipartUpload: { Parts } }))
}

export async function abortMultipart({ client, Bucket }: Bucket, multipart: Multipart): Promise<void> {
  await client.send(new AbortMultipartUploadCommand({ Bucket, ...multipart }))
}
