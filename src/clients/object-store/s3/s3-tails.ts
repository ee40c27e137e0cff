import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
  PutObjectCommand,
} from '@aws-sdk/client-s3'

import type { Bucket, Multipart } from './s3-parts.ts'
import { isMissing } from './s3-responses.ts'

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
