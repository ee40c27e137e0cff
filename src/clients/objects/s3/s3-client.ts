import { S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import { FetchHttpHandler } from '@smithy/fetch-http-handler'

import type { S3Settings } from '../../../domain/service-settings.ts'
import { AppError } from '../../../errors.ts'
import { DEFAULT_CONTENT_TYPE, type ObjectInfo } from '../object-store.ts'

/** How much of a body is copied at a time: with less, sending it costs more CPU time. */
const PIECE_BYTES = 1024 ** 2

export function createS3Client(settings: S3Settings): S3Client {
  const { endpoint, region, pathStyle, accessKeyId, secretAccessKey } = settings
  const client = new S3Client({
    region,
    ...(endpoint !== null && { endpoint }),
    forcePathStyle: pathStyle,
    credentials: { accessKeyId, secretAccessKey },
    // Many S3 servers reject the trailers that the default checksums require.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // With fetch a part needs about 40 MB less memory than with the SDK's default handler, which copies it.
    requestHandler: new FetchHttpHandler({ requestTimeout: 120_000 }),
  })
  client.middlewareStack.add(
    (next) => async (call) => {
      if (hasBytes(call.request)) call.request.headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD'
      return await next(call)
    },
    { step: 'build', name: 'unsignedBytes' },
  )
  client.middlewareStack.add(
    (next) => async (call) => {
      if (!hasBytes(call.request) || call.request.body.byteLength <= PIECE_BYTES) return await next(call)
      using body = streamOf(call.request.body)
      return await next({ ...call, request: Object.assign(call.request, { body: body.stream }) })
    },
    { step: 'deserialize', name: 'streamedBytes' },
  )
  client.middlewareStack.add(
    (next) => async (call) => {
      try {
        return await next(call)
      } catch (error) {
        const isAnswer = [isMissing, isOutsideRange, isTaken, isNotImplemented].some((is) => is(error))
        throw isAnswer ? error : toAppError(error)
      }
    },
    { step: 'initialize', priority: 'high', name: 'appErrors' },
  )
  return client
}

/** Such requests are signed without their bytes: a signature over them would hash every upload a second time. */
function hasBytes(request: unknown): request is { headers: Record<string, string>; body: Uint8Array } {
  return (
    typeof request === 'object' && request !== null && 'body' in request && request.body instanceof Uint8Array
  )
}

/**
 * Given the bytes themselves, `fetch` would copy all of them. Once disposed the stream fails: an attempt that timed out
 * may still be sending, but the memory is used for other bytes.
 */
function streamOf(bytes: Uint8Array): Disposable & { stream: ReadableStream<Uint8Array> } {
  let offset = 0
  let isOver = false
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (isOver) throw new Error('The attempt to send these bytes has ended')
        if (offset === bytes.byteLength) return controller.close()
        const piece = bytes.subarray(offset, offset + PIECE_BYTES)
        offset += piece.byteLength
        controller.enqueue(piece)
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, [Symbol.dispose]: () => void (isOver = true) }
}

/** For API clients: omits bucket and endpoint, which only concern the operator. */
function toAppError(cause: unknown): AppError {
  return new AppError('service_down', {
    message: 'The object store does not answer; try again later.',
    cause,
  })
}

/** For the operator: describes the problem and the fix. */
export function describeFault(error: unknown, { bucket, endpoint, region }: S3Settings): string {
  const where = endpoint ?? `Amazon S3 in ${region}`
  if (!(error instanceof S3ServiceException)) {
    const reason = error instanceof Error && error.message !== '' ? error.message : 'no connection'
    return `The object store at ${where} cannot be reached (${reason}); check the endpoint in STORAGE_URL and that it runs.`
  }
  switch (error.name) {
    case 'NoSuchBucket':
      return `The bucket "${bucket}" does not exist at ${where}; create it, or name another in STORAGE_URL.`
    case 'InvalidAccessKeyId':
    case 'SignatureDoesNotMatch':
      return `${where} refuses the credentials; check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`
    case 'AccessDenied':
      return `These credentials may not use the bucket "${bucket}" at ${where}; allow listing, reading, writing and deleting.`
    case 'RequestTimeTooSkewed':
      return `The clock of this machine differs too much from that of ${where}; set the time.`
    case 'PermanentRedirect':
    case 'AuthorizationHeaderMalformed':
      return `The bucket "${bucket}" is in another region than ${region}; set region in STORAGE_URL.`
    default:
      return `The object store at ${where} answered ${error.name}: ${error.message}`
  }
}

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

interface ObjectResponse {
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
