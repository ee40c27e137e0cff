import type { ObjectStore, WriteSlot } from '../../../clients/object-store/object-store.ts'
import { AppError } from '../../../errors.ts'
import { type Fields, type FormFile, readForm } from '../../../http/multipart.ts'

/** Allowance for the form's other fields, boundaries and headers. */
const FORM_OVERHEAD_BYTES = 1024 ** 2
/** Files in other fields are skipped, up to this number. */
const FILES_MAX = 4

const BASE_MS = 5 * 60 * 1000
const BYTES_PER_SECOND = 512 * 1024
const LONGEST_MS = 3 * 60 * 60 * 1000

/** A file of a form, with the slot in which to store it. */
export interface UploadFormFile extends FormFile {
  slot: WriteSlot | null
}

export interface UploadFormOptions {
  store: Pick<ObjectStore, 'acquireSlot'>
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
  const { store, maxBytes, tooLarge, isWanted, onFile, signal } = options
  const maxBodyBytes = maxBytes + FORM_OVERHEAD_BYTES
  const declared = Number(request.headers.get('content-length') ?? maxBytes)
  if (declared > maxBodyBytes) throw tooLarge()
  const signals = signal ? [signal] : []
  // The form of a client that has left, or of an upload that was ended meanwhile, fails by itself.
  using slot = await store.acquireSlot(AbortSignal.any([request.signal, ...signals])).catch(() => null)
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

/** Five minutes plus one second per 512 KB, at most three hours. */
export function requestMs(bytes: number): number {
  return Math.min(BASE_MS + (bytes / BYTES_PER_SECOND) * 1000, LONGEST_MS)
}
