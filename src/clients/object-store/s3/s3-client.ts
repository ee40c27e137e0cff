import { S3Client } from '@aws-sdk/client-s3'
import { FetchHttpHandler } from '@smithy/fetch-http-handler'

import { type S3Settings, toAppError } from './s3-faults.ts'
import { isMissing, isNotImplemented, isOutsideRange, isTaken } from './s3-responses.ts'

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
