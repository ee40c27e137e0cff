import type { ErrorName } from '../../error-table.ts'
import { AppError, invalidField, invalidFields, nulRefused } from '../../errors.ts'
import { plural } from '../text/plural.ts'
import { show } from '../text/show.ts'
import { readPartHeaders } from './part-headers.ts'
import { PartStream } from './part-stream.ts'
import { ENDS_EARLY, FormFault, FormScanner } from './scanner.ts'

export type Fields = ReadonlyMap<string, string>

export interface FormFile {
  field: string
  /** Without folders; may be empty. */
  filename: string
  /** As declared by the client, without parameters. */
  contentType: string
  stream: ReadableStream<Uint8Array>
}

export interface FormOptions {
  /**
   * Called for each file as it arrives, one after the other, with the fields before it. Unread bytes are
   * skipped. When it throws, reading stops and the form fails with that error.
   */
  onFile: (file: FormFile, fields: Fields) => Promise<void>
  /** Limits the whole body, including boundaries and headers. */
  maxBodyBytes: number
  maxFiles?: number
  maxFields?: number
  maxFieldBytes?: number
  /** The error for a malformed form. */
  unreadable?: ErrorName
  /** Aborts the form: with the reason if that is an `AppError`, else as a timeout. */
  signal?: AbortSignal | undefined
  onBytes?: ((bytes: number) => void) | undefined
}

export interface ReceivedFile {
  bytes: Uint8Array
  filename: string
  contentType: string
  fields: Fields
}

export interface FormFileOptions {
  /** The name of the file's field. */
  field: string
  maxBytes: number
  signal?: AbortSignal
  /** Called with the number of bytes as they arrive. */
  onBytes?: (bytes: number) => void
}

/** What boundaries, headers and text fields may add to a small file. */
const FORM_OVERHEAD_BYTES = 256 * 1024
const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i

/**
 * Reads a form as it arrives, never ahead of `onFile`. Returns the text fields only after the closing
 * boundary, so a client that disconnects causes an error.
 */
export async function readForm(request: Request, options: FormOptions): Promise<Fields> {
  const { maxBodyBytes, unreadable = 'invalid_request', signal } = options
  const type = request.headers.get('content-type') ?? ''
  if (!/^multipart\/form-data\s*(;|$)/i.test(type)) {
    throw new AppError('unsupported_media_type', { message: 'Send the body as multipart/form-data.' })
  }
  if (Number(request.headers.get('content-length')) > maxBodyBytes) throw formTooLarge(maxBodyBytes)
  using body = openBody(request, options)
  try {
    const [, quoted, boundary = quoted] = BOUNDARY.exec(type) ?? []
    if (boundary === undefined) throw new FormFault('The Content-Type of the form names no boundary.')
    return await readParts(new FormScanner(boundary, body.read), options)
  } catch (cause) {
    if (!(cause instanceof FormFault)) throw cause
    if (signal?.reason instanceof AppError) throw signal.reason
    const message = signal?.aborted ? 'The form took too long to arrive.' : cause.message
    throw invalidFields([{ path: '', message }], { kind: unreadable, cause })
  }
}

/** For forms with one small file: returns its bytes, up to the limit, and the text fields. */
export async function readFormFile(request: Request, options: FormFileOptions): Promise<ReceivedFile> {
  const { field, maxBytes, signal, onBytes } = options
  const files: Omit<ReceivedFile, 'fields'>[] = []
  const fields = await readForm(request, {
    maxBodyBytes: maxBytes + FORM_OVERHEAD_BYTES,
    signal,
    onBytes,
    async onFile({ stream, filename, contentType, ...file }) {
      if (file.field !== field)
        throw invalidField(field, `must be the name of the file's field, not ${show(file.field)}.`)
      files.push({ bytes: await collect(stream, maxBytes, 'The file'), filename, contentType })
    },
  })
  const [file] = files
  if (!file) throw invalidField(field, 'is missing; send the file in the field of this name.')
  return { ...file, fields }
}

async function readParts(scanner: FormScanner, options: FormOptions): Promise<Fields> {
  const { maxFiles = 1, maxFields = 32, maxFieldBytes = 64 * 1024 } = options
  const fields = new Map<string, string>()
  let files = 0
  while ((await scanner.nextBytes()) !== null);
  for (;;) {
    const headers = await scanner.nextHeaders()
    if (headers === null) return fields
    const { filename, ...part } = readPartHeaders(refuseNul(headers))
    if (filename !== null) {
      files += 1
      if (files > maxFiles) throw new FormFault(`Send ${plural(maxFiles, 'file')} at most.`)
      const file = new PartStream(scanner)
      await handOver(file, () => options.onFile({ ...part, filename, stream: file.stream }, fields))
    } else {
      if (fields.has(part.field)) throw new FormFault(`Send the field ${part.field} once.`)
      if (fields.size === maxFields) throw new FormFault(`Send ${maxFields} fields at most.`)
      const value = await collect(new PartStream(scanner).stream, maxFieldBytes, `The field ${part.field}`)
      fields.set(part.field, refuseNul(value.toString('utf8')))
    }
  }
}

async function collect(stream: AsyncIterable<Uint8Array>, maxBytes: number, what: string): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const bytes of stream) {
    size += bytes.length
    if (size > maxBytes) throw tooLarge(`${what} is larger than ${maxBytes} bytes.`)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

async function handOver(file: PartStream, consume: () => Promise<void>): Promise<void> {
  try {
    await consume()
  } catch (error) {
    // Consumers may wrap the error that broke the form.
    throw file.failure ? file.failure.error : error
  }
  await file.skip()
}

/** Disposing cancels the body, so that the connection stops sending. */
function openBody(request: Request, { maxBodyBytes, signal, onBytes }: FormOptions) {
  const reader = request.body?.getReader()
  const cancel = () => void reader?.cancel().catch(() => undefined)
  let size = 0
  signal?.addEventListener('abort', cancel)
  if (signal?.aborted) cancel()
  return {
    async read(): Promise<Uint8Array | null> {
      // Bytes gather during one turn of the event loop, so that fewer and larger pieces pass through all that follows.
      await nextTurn()
      const bytes = await readOrFault(reader?.read())
      if (!bytes) return null
      size += bytes.length
      onBytes?.(bytes.length)
      if (size > maxBodyBytes) throw formTooLarge(maxBodyBytes)
      return bytes
    },
    [Symbol.dispose]() {
      signal?.removeEventListener('abort', cancel)
      cancel()
    },
  }
}

const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve))

/** A broken connection makes the form incomplete. */
async function readOrFault(
  reading: Promise<{ value?: Uint8Array | undefined }> | undefined,
): Promise<Uint8Array | undefined> {
  try {
    return (await reading)?.value
  } catch (cause) {
    throw new FormFault(ENDS_EARLY, { cause })
  }
}

function refuseNul(text: string): string {
  if (text.includes('\0')) throw nulRefused()
  return text
}

function tooLarge(message: string): AppError {
  return new AppError('too_large', { message })
}

function formTooLarge(maxBytes: number): AppError {
  return tooLarge(`The form is larger than ${maxBytes} bytes.`)
}
