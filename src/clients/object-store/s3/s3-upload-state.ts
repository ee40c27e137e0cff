import {
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListPartsCommand,
  type ListPartsCommandOutput,
} from '@aws-sdk/client-s3'

import { abortMultipart, type Bucket, type Multipart, type Part, PART_SIZE } from './s3-parts.ts'
import { isMissing } from './s3-responses.ts'
import { deleteTailsOlderThan } from './s3-tails.ts'

export interface PartsFound {
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
export async function listParts(
  { client, Bucket }: Bucket,
  multipart: Multipart,
  known = 0,
): Promise<PartsFound> {
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

export async function sweepUploads(bucket: Bucket, before: Date): Promise<number> {
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
