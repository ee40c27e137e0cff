import type { ZipEntry } from './directory.ts'
import { ZipError } from './zip-error.ts'

const MB = 1024 ** 2
const TOTAL_MAX = 20 * 1024 * MB
const RATIO_MAX = 200
/** Zips that unpack to less may have any compression ratio. */
const RATIO_COUNTS_FROM = 256 * MB

/** Checked before unpacking; no entry may later exceed its declared size. */
export function requireFairSize(entries: readonly ZipEntry[]): void {
  let size = 0
  let packedSize = 0
  for (const entry of entries) {
    size += entry.size
    packedSize += entry.packedSize
  }
  if (size > TOTAL_MAX) throw new ZipError('The zip unpacks to more than 20 GB.')
  if (size > RATIO_COUNTS_FROM && size > packedSize * RATIO_MAX) {
    throw new ZipError(`The zip unpacks to more than ${RATIO_MAX} times its size.`)
  }
}
