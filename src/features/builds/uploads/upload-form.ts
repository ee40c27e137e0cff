import type { ObjectStore, WriteSlot } from '../../../clients/object-store/object-store.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { createKeyedSemaphore } from '../../../lib/flow/semaphore.ts'
import { type Fields, type FormFile, readForm } from '../../../lib/form/multipart.ts'
import { reserveStorage } from '../../storage/quota.ts'

/** Allowance for the form's other fields, boundaries and headers. */
const FORM_OVERHEAD_BYTES = 1024 ** 2
/** Files in other fields are skipped, up to this number. */
const FILES_MAX = 4
/** More are refused: each holds a connection and some memory, however slowly it arrives. */
const BODIES_PER_OWNER = 32
const RETRY_SECONDS = 10
const receiving = createKeyedSemaphore(BODIES_PER_OWNER)

const BASE_MS = 5 * 60 * 1000
const BYTES_PER_SECOND = 512 * 1024
const LONGEST_MS = 3 * 60 * 60 * 1000
/** How long a reservation also covers waiting for a slot. */
const SLOT_WAIT_MS = 10 * 60 * 1000

/** A file of a form, with the slot in which to store it. */
export interface UploadFormFile extends FormFile {
  slot: WriteSlot | null
}

export interface UploadFormOptions {
  store: Pick<ObjectStore, 'acquireSlot' | 'requireRoom'>
  /** The account whose share of the slots it uses. */
  owner: string
  maxBytes: number
  tooLarge: () => AppError
  isWanted: (file: FormFile) => boolean
  onFile: (file: UploadFormFile, before: Fields) => Promise<void>
  /** Aborts the form. */
  signal?: AbortSignal
}

/**
 * Parses a form with one large file, within a time limit that depends on its size. Nothing is read before the store can
 * take the file, because a body that waits unread needs half the memory; the time limit begins after that.
 */
export async function readUploadForm(request: Request, options: UploadFormOptions): Promise<Fields> {
  const { store, owner, maxBytes, tooLarge, isWanted, onFile, signal } = options
  const maxBodyBytes = maxBytes + FORM_OVERHEAD_BYTES
  const declared = readLength(request) ?? maxBytes
  if (declared > maxBodyBytes) throw tooLarge()
  using held = new DisposableStack()
  held.use(enter(owner))
  await store.requireRoom(Math.min(declared, maxBytes))
  const signals = signal ? [signal] : []
  // The form of a client that has left, or of an upload that was ended meanwhile, fails by itself.
  using slot = await store.acquireSlot(owner, AbortSignal.any([request.signal, ...signals])).catch(() => null)
  const time = AbortSignal.timeout(requestMs(declared))
  let taken = 0
  try {
    return await readForm(request, {
      maxBodyBytes,
      maxFiles: FILES_MAX,
      unreadable: 'file_missing',
      signal: AbortSignal.any([time, ...signals]),
      async onFile(file, before) {
        if (!isWanted(file)) return
        taken += 1
        if (taken > 1)
          throw new AppError('file_missing', {
            message: 'The form contains more than one file. Send one file per request.',
          })
        await onFile({ ...file, slot }, before)
      },
    })
  } catch (error) {
    if (!(error instanceof AppError && error.kind === 'unsupported_media_type')) throw error
    throw new AppError('file_missing', {
      message: 'Send the file in a multipart/form-data body.',
      cause: error,
    })
  }
}

/** Room for the file of a form, whose length is at most that of the body. Without one, room for the largest file. */
export async function reserveUpload(
  deps: Deps,
  gameUid: string,
  request: Request,
  maxBytes: number,
): Promise<AsyncDisposable> {
  const bytes = Math.min(maxBytes, readLength(request) ?? maxBytes)
  return await reserveStorage(deps, gameUid, { bytes, ms: SLOT_WAIT_MS + requestMs(bytes) })
}

function readLength(request: Request): number | null {
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
