import { AppError } from '../../errors.ts'
import type { ByteRange } from './object-store.ts'

/** Resolves a range for an object of `size` bytes; null when it is empty. `end` is inclusive. */
export function resolveRange(range: ByteRange, size: number): { start: number; end: number } | null {
  const start = 'suffix' in range ? Math.max(0, size - range.suffix) : range.start
  const end = 'suffix' in range ? size - 1 : Math.min(range.end ?? size - 1, size - 1)
  return start <= end ? { start, end } : null
}

export function rangeOutside(cause?: unknown): AppError {
  return new AppError('invalid_request', { message: 'The range lies outside the object.', cause })
}
