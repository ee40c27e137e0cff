import { S3ServiceException } from '@aws-sdk/client-s3'

import { DEFAULT_CONTENT_TYPE, type ObjectInfo } from '../object-store.ts'

/** Ceph returns NoSuchKey when listing the parts of an aborted upload. */
const MISSING = new Set(['NoSuchKey', 'NotFound', 'NoSuchUpload'])

export function isMissing(error: unknown): boolean {
  return error instanceof S3ServiceException && MISSING.has(error.name)
}

/** A conditional write failed because the object exists or is being written. */
export function isTaken(error: unknown): boolean {
  return (
    error instanceof S3ServiceException &&
    ['PreconditionFailed', 'ConditionalRequestConflict'].includes(error.name)
  )
}

export function isNotImplemented(error: unknown): boolean {
  return error instanceof S3ServiceException && error.name === 'NotImplemented'
}

export function isOutsideRange(error: unknown): boolean {
  return error instanceof S3ServiceException && error.$metadata.httpStatusCode === 416
}

export interface ObjectResponse {
  ContentLength?: number | undefined
  ETag?: string | undefined
  ContentType?: string | undefined
  LastModified?: Date | undefined
}

export function toInfo(
  key: string,
  { ContentLength, ETag, ContentType, LastModified }: ObjectResponse,
): ObjectInfo {
  return {
    key,
    size: ContentLength ?? 0,
    etag: ETag ?? '""',
    contentType: ContentType ?? DEFAULT_CONTENT_TYPE,
    modifiedAt: LastModified ?? new Date(0),
  }
}
