import type { HashedBlock } from '../../../lib/zip/block-check.ts'
import { encodeContents } from '../../../lib/zip/contents.ts'
import type { Contents, RecordedEntry } from './model.ts'

export interface DescribedEntry extends RecordedEntry {
  blocks?: HashedBlock[] | null
}

/** What clients that fetch parts of the zip have to know. Made once: reading it costs no work per download. */
export async function describeContents(
  entries: readonly DescribedEntry[],
  fileSize: number,
): Promise<Contents> {
  const encoded = await encodeContents(entries, fileSize)
  return {
    installedSize: entries.reduce((sum, { size }) => sum + size, 0),
    hasBlocks: encoded?.hasBlocks ?? false,
    document: encoded?.document ?? null,
  }
}
