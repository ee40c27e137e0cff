import { availableParallelism } from 'node:os'

import { InlineSha256 } from './inline.ts'
import type { Sha256 } from './sha256.ts'
import { ThreadedSha256 } from './threaded.ts'

/** Hashes in a thread, unless there is only one core: then the event loop would wait for it anyway. */
export function createSha256(): Sha256 {
  return availableParallelism() > 1 ? new ThreadedSha256() : new InlineSha256()
}
