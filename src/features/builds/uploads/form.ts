import type { ObjectStore, WriteSlot } from '../../../clients/objects/object-store.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { freeBuffer } from '../../../lib/flow/buffer-memory.ts'
import { createKeyedSemaphore } from '../../../lib/flow/semaphore.ts'
import { Form, type FormFile, isForm } from '../../../lib/form/multipart.ts'
import type { Sha256 } from '../../../lib/sha256/sha256.ts'
import { reserveStorage } from '../../storage/quota.ts'

/** Allowance for the form's other fields, boundaries and headers. */
const FORM_OVERHEAD_BYTES = 1024 ** 2
/** Files in other fields are skipped, up to this number. */
const FILES_MAX = 4
/** Concurrent bodies per account: each holds a connection and some memory, however slowly it arrives. */
const BODIES_PER_OWNER = 32
const RETRY_SECONDS = 10
const receiving = createKeyedSemaphore(BODIES_PER_OWNER)

const BASE_MS = 5 * 60 * 1000
const BYTES_PER_SECOND = 512 * 1024
const LONGEST_MS = 3 * 60 * 60 * 1000
/** Added to the lifetime of a reservation, to cover the wait for a slot. */
const SLOT_WAIT_MS = 10 * 60 * 1000

interface UploadFormOptions {
  objects: Pick<ObjectStore, 'acquireSlot' | 'requireRoom'>
  /** The account whose share of the slots it uses. */
  owner: string
  maxBytes: number
  tooLarge: () => AppError
  isWanted?: (file: FormFile) => boolean
  /** Aborts the form. */
  signal?: AbortSignal
}

/** A file of a form, with the slot in which to store it. */
interface SentFile extends FormFile {
  slot: WriteSlot | null
}

/** A form with one large file. */
interface UploadForm extends Pick<Form, 'fields' | 'causeOf'> {
  /** The wanted file, if there is one: others are skipped, and a second wanted one is an error. */
  files: AsyncIterable<SentFile>
}

export function openUploadForm(request: Request, options: UploadFormOptions): UploadForm {
  const form = new Form(request, {
    maxBodyBytes: options.maxBytes + FORM_OVERHEAD_BYTES,
    maxFiles: FILES_MAX,
    unreadable: 'file_missing',
  })
  const { fields } = form
  return { fields, causeOf: (error) => form.causeOf(error), files: readFiles(form, request, options) }
}

/**
 * Reads the form within a time limit that depends on its size. Nothing is read before the object store can take the
 * file, because a body that waits unread needs half the memory; the time limit begins after that.
 */
async function* readFiles(
  form: Form,
  request: Request,
  { objects, owner, maxBytes, tooLarge, isWanted = () => true, signal }: UploadFormOptions,
): AsyncGenerator<SentFile, undefined> {
  const declared = parseLength(request) ?? maxBytes
  if (declared > maxBytes + FORM_OVERHEAD_BYTES) throw tooLarge()
  using held = new DisposableStack()
  held.use(enter(owner))
  await objects.requireRoom(Math.min(declared, maxBytes))
  const signals = signal ? [signal] : []
  // If the client has disconnected or the upload was ended meanwhile, reading the form fails anyway.
  using slot = await objects
    .acquireSlot(owner, AbortSignal.any([request.signal, ...signals]))
    .catch(() => null)
  if (!isForm(request))
    throw new AppError('file_missing', { message: 'Send the file in a multipart/form-data body.' })
  const time = AbortSignal.timeout(requestMs(declared))
  let taken = 0
  for await (const file of form.files(AbortSignal.any([time, ...signals]))) {
    if (!isWanted(file)) continue
    taken += 1
    if (taken > 1)
      throw new AppError('file_missing', {
        message: 'The form contains more than one file. Send one file per request.',
      })
    yield { ...file, slot }
  }
}

/** Reserves room for the file of a form: the length of the body or, if that is unknown, `maxBytes`. */
export async function reserveUpload(
  deps: Deps,
  gameUid: string,
  request: Request,
  maxBytes: number,
): Promise<AsyncDisposable> {
  const bytes = Math.min(maxBytes, parseLength(request) ?? maxBytes)
  return await reserveStorage(deps, gameUid, { bytes, ms: SLOT_WAIT_MS + requestMs(bytes) })
}

function parseLength(request: Request): number | null {
  const header = request.headers.get('content-length')
  return header === null ? null : Number(header)
}

function enter(owner: string): Disposable {
  const entered = receiving.tryAcquire(owner)
  if (entered) return entered
  throw new AppError('uploads_limited', {
    message: `${BODIES_PER_OWNER} files of this account are already being received. Wait until one is done.`,
    headers: { 'retry-after': String(RETRY_SECONDS) },
  })
}

/** Five minutes plus one second per 512 KB, at most three hours. */
export function requestMs(bytes: number): number {
  return Math.min(BASE_MS + (bytes / BYTES_PER_SECOND) * 1000, LONGEST_MS)
}

interface IntakeOptions {
  maxBytes: number
  /** Creates the error for a file that is larger than allowed. */
  tooLarge: () => AppError
  hash: Sha256 | null
}

export interface Intake {
  stream: ReadableStream<Uint8Array>
  /** Hashes a piece of the stream that has been stored, and frees its memory. */
  release(piece: Uint8Array): void
  /** How long the client has sent nothing while we were waiting for it. */
  silentMs(): number
}

/** Reads a file without reading ahead, and aborts it when it is too large. */
export function openIntake(source: ReadableStream<Uint8Array>, options: IntakeOptions): Intake {
  const { maxBytes, tooLarge, hash } = options
  const reader = source.getReader()
  let room = maxBytes
  let waitingSince: number | null = null

  async function read() {
    waitingSince = performance.now()
    try {
      return await reader.read()
    } finally {
      waitingSince = null
    }
  }

  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (room < 0) throw tooLarge()
        await hash?.room()
        const { done, value } = await read()
        if (done) return controller.close()
        const taken = value.byteLength > room ? value.subarray(0, room) : value
        room -= value.byteLength
        if (taken.byteLength === 0) throw tooLarge()
        controller.enqueue(taken)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  return {
    stream,
    release: (piece) => (hash ? hash.update(piece) : freeBuffer(piece)),
    silentMs: () => (waitingSince === null ? 0 : performance.now() - waitingSince),
  }
}
