import type { ErrorName } from '../../error-table.ts'
import { AppError, invalidField, invalidFields, nulRefused } from '../../errors.ts'
import { plural, show } from '../text/show.ts'
import { ENDS_EARLY, FormFault, FormScanner } from './scanner.ts'

interface PartHeaders {
  field: string
  /** Without folders; null for a text field. */
  filename: string | null
  contentType: string
}

const PARAMETER = /;\s*([a-z0-9-]+\*?)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/gi

/** Reads the headers of one part, which follow the boundary line. */
function parsePartHeaders(text: string): PartHeaders {
  const [padding = '', ...lines] = text.split('\r\n')
  if (padding.trim() !== '') throw new FormFault('A boundary of the form is not on a line of its own.')
  const headers = new Map(lines.map(splitHeader))
  const disposition = headers.get('content-disposition') ?? ''
  const parameters = new Map(parseParameters(disposition))
  const field = parameters.get('name')
  if (!/^form-data\s*;/i.test(disposition) || field === undefined) {
    throw new FormFault('A part of the form has no name.')
  }
  const filename = decodeExtended(parameters.get('filename*')) ?? parameters.get('filename')
  const contentType = headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  return {
    field,
    filename: filename === undefined ? null : (filename.split(/[/\\]/).at(-1) ?? ''),
    contentType: contentType || 'text/plain',
  }
}

function splitHeader(line: string): [name: string, value: string] {
  const colon = line.indexOf(':')
  return [line.slice(0, Math.max(0, colon)).trim().toLowerCase(), line.slice(colon + 1).trim()]
}

function parseParameters(disposition: string): [name: string, value: string][] {
  return [...disposition.matchAll(PARAMETER)].map(([, name = '', quoted, bare = '']) => [
    name.toLowerCase(),
    quoted === undefined ? bare : unquote(quoted),
  ])
}

/** Browsers percent-encode quotes and line breaks; other clients escape quotes with a backslash. */
function unquote(text: string): string {
  return text.replace(/\\(["\\])|%(22|0d|0a)/gi, (_, escaped: string | undefined, code: string) =>
    escaped === undefined ? String.fromCharCode(Number.parseInt(code, 16)) : escaped,
  )
}

/** The RFC 5987 form that some clients use for names beyond ASCII: `utf-8''na%C3%AFve.png`. */
function decodeExtended(value: string | undefined): string | undefined {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(value ?? '')?.[1]
  if (encoded === undefined) return undefined
  try {
    if (encoded.includes('%00')) throw new URIError('NUL characters are not allowed')
    return decodeURIComponent(encoded)
  } catch (cause) {
    throw new FormFault('A filename of the form cannot be read.', { cause })
  }
}

/** A file in a form, read from the body only when its consumer asks for more. */
class PartStream {
  readonly stream: ReadableStream<Uint8Array>
  readonly #scanner: FormScanner
  #reading: Promise<Uint8Array | null> = Promise.resolve(null)
  #isOver = false
  /** The error that ended the form while this file was read. */
  failure: { error: unknown } | null = null

  constructor(scanner: FormScanner) {
    this.#scanner = scanner
    const pull = async (controller: { enqueue(bytes: Uint8Array): void; close(): void }) => {
      this.#reading = this.#read()
      const bytes = await this.#reading
      if (bytes) controller.enqueue(bytes)
      else controller.close()
    }
    this.stream = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 })
  }

  /** Discards the unread bytes. */
  async skip(): Promise<void> {
    await this.#reading
    while ((await this.#read()) !== null);
  }

  async #read(): Promise<Uint8Array | null> {
    if (this.#isOver) return null
    try {
      const bytes = await this.#scanner.nextBytes()
      this.#isOver = bytes === null
      return bytes
    } catch (error) {
      this.failure = { error }
      throw error
    }
  }
}

export type Fields = ReadonlyMap<string, string>

export interface FormFile {
  field: string
  /** Without folders; may be empty. */
  filename: string
  /** As declared by the client, without parameters. */
  contentType: string
  stream: ReadableStream<Uint8Array>
}

interface FormLimits {
  /** Limits the whole body, including boundaries and headers. */
  maxBodyBytes: number
  maxFiles?: number
  maxFields?: number
  maxFieldBytes?: number
  /** The error for a malformed form. */
  unreadable?: ErrorName
  onBytes?: ((bytes: number) => void) | undefined
}

export interface FormOptions extends FormLimits {
  /**
   * Called for each file as it arrives, one after the other, with the fields before it. Unread bytes are
   * skipped. When it throws, reading stops and the form fails with that error.
   */
  onFile: (file: FormFile, fields: Fields) => Promise<void>
  /** Aborts the form: with the reason if that is an `AppError`, else as a timeout. */
  signal?: AbortSignal | undefined
}

export interface ReceivedFile {
  bytes: Uint8Array
  filename: string
  contentType: string
  fields: Fields
}

interface FormFileOptions {
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

/** Reads a form as it arrives, but never further than its files are consumed. */
export class Form {
  /** The text fields so far; all of them once `files` has ended. */
  readonly fields = new Map<string, string>()
  readonly #request: Request
  readonly #limits: FormLimits
  #signal: AbortSignal | undefined
  #file: PartStream | null = null

  constructor(request: Request, limits: FormLimits) {
    this.#request = request
    this.#limits = limits
  }

  /**
   * Yields one file after the other; unread bytes are skipped. Ends after the closing boundary, so a client that
   * disconnects causes an error. The signal aborts the form: with its reason if that is an `AppError`, else as a timeout.
   */
  async *files(signal?: AbortSignal): AsyncGenerator<FormFile, undefined> {
    this.#signal = signal
    const { maxBodyBytes } = this.#limits
    const type = this.#request.headers.get('content-type') ?? ''
    if (!isForm(this.#request)) {
      throw new AppError('unsupported_media_type', { message: 'Send the body as multipart/form-data.' })
    }
    if (Number(this.#request.headers.get('content-length')) > maxBodyBytes) throw formTooLarge(maxBodyBytes)
    using body = openBody(this.#request, this.#limits, signal)
    try {
      const [, quoted, boundary = quoted] = BOUNDARY.exec(type) ?? []
      if (boundary === undefined) throw new FormFault('The Content-Type of the form names no boundary.')
      yield* this.#readParts(new FormScanner(boundary, body.read))
    } catch (error) {
      throw this.#toFailure(error)
    }
  }

  /** The error that broke the form while its file was read, or null. Consumers may have wrapped it. */
  causeOf(error: unknown): unknown {
    return this.#toFailure(this.#file?.failure ? this.#file.failure.error : error)
  }

  async *#readParts(scanner: FormScanner): AsyncGenerator<FormFile, undefined> {
    const { maxFiles = 1, maxFields = 32, maxFieldBytes = 64 * 1024 } = this.#limits
    const { fields } = this
    let files = 0
    while ((await scanner.nextBytes()) !== null);
    for (;;) {
      const headers = await scanner.nextHeaders()
      if (headers === null) return
      const { filename, ...part } = parsePartHeaders(refuseNul(headers))
      if (filename !== null) {
        files += 1
        if (files > maxFiles) throw new FormFault(`Send ${plural(maxFiles, 'file')} at most.`)
        this.#file = new PartStream(scanner)
        yield { ...part, filename, stream: this.#file.stream }
        await this.#file.skip()
      } else {
        if (fields.has(part.field)) throw new FormFault(`Send the field ${part.field} once.`)
        if (fields.size === maxFields) throw new FormFault(`Send ${maxFields} fields at most.`)
        const value = await collect(new PartStream(scanner).stream, maxFieldBytes, `The field ${part.field}`)
        fields.set(part.field, refuseNul(value.toString('utf8')))
      }
    }
  }

  #toFailure(cause: unknown): unknown {
    if (!(cause instanceof FormFault)) return cause
    const { reason, aborted = false } = this.#signal ?? {}
    if (reason instanceof AppError) return reason
    const message = aborted ? 'The form took too long to arrive.' : cause.message
    return invalidFields([{ path: '', message }], {
      kind: this.#limits.unreadable ?? 'invalid_request',
      cause,
    })
  }
}

export function isForm(request: Request): boolean {
  return /^multipart\/form-data\s*(;|$)/i.test(request.headers.get('content-type') ?? '')
}

/** Reads a whole form and returns its text fields. */
export async function readForm(
  request: Request,
  { onFile, signal, ...limits }: FormOptions,
): Promise<Fields> {
  const form = new Form(request, limits)
  try {
    for await (const file of form.files(signal)) await onFile(file, form.fields)
  } catch (error) {
    throw form.causeOf(error)
  }
  return form.fields
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

/** Disposing cancels the body, so that the connection stops sending. */
function openBody(request: Request, { maxBodyBytes, onBytes }: FormLimits, signal: AbortSignal | undefined) {
  const reader = request.body?.getReader()
  const cancel = () => void reader?.cancel().catch(() => undefined)
  let size = 0
  signal?.addEventListener('abort', cancel)
  if (signal?.aborted) cancel()
  return {
    async read(): Promise<Uint8Array | null> {
      // Lets bytes accumulate for one turn of the event loop, so that later steps handle fewer, larger
      // pieces.
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
