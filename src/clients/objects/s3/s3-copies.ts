import { AppError } from '../../../errors.ts'
import { streamRanges } from '../object-ranges.ts'
import type { ObjectStore, RangeSource } from '../object-store.ts'
import { isMissing, isNotImplemented } from './s3-client.ts'
import { PART_SIZE } from './s3-parts.ts'
import type { PartCopies } from './s3-uploads.ts'

type Uploads = Pick<ObjectStore, 'get' | 'append' | 'uploadSize'> & PartCopies
type Range = RangeSource['ranges'][number]

/** Ranges that pass through this process, then parts that the store copies by itself. */
interface Run {
  streamed: Range[]
  copied: { from: number; parts: number } | null
}

/** Whole parts inside one range are copied by the store; they are read here only for the checksum. */
export function createS3Copies(objects: Uploads): ObjectStore['appendRanges'] {
  let canCopy = true

  return async (upload, source, options = {}) => {
    const stream = (ranges: readonly Range[], { isHashed = false } = {}) =>
      streamRanges(objects, { ...source, ranges }, isHashed ? { ...options, onBytes: undefined } : options)

    async function copy({ from, parts }: NonNullable<Run['copied']>): Promise<number> {
      const ranges = [{ from, length: parts * PART_SIZE }]
      const [copied, read] = await Promise.allSettled([
        objects.appendParts(upload, parts, { key: source.key, from }),
        options.onBytes && drain(stream(ranges)),
      ])
      if (read.status === 'rejected') throw read.reason
      if (copied.status === 'fulfilled') return copied.value
      if (isMissing(copied.reason)) throw new AppError('not_found', { cause: copied.reason })
      if (!isNotImplemented(copied.reason)) throw copied.reason
      canCopy = false
      return await objects.append(upload, stream(ranges, { isHashed: true }), { owner: options.owner })
    }

    let size = await objects.uploadSize(upload)
    for (const { streamed, copied } of planRuns(size, source.ranges, canCopy)) {
      options.signal?.throwIfAborted()
      if (streamed.length > 0) size = await objects.append(upload, stream(streamed), { owner: options.owner })
      if (copied) size = await copy(copied)
    }
    return size
  }
}

/** `size` is how many bytes the upload has: parts begin at multiples of their size. */
function planRuns(size: number, ranges: readonly Range[], canCopy = true): Run[] {
  const runs: Run[] = []
  let streamed: Range[] = []
  let at = size
  for (const { from, length } of ranges) {
    const lead = (PART_SIZE - (at % PART_SIZE)) % PART_SIZE
    const parts = canCopy ? Math.max(0, Math.floor((length - lead) / PART_SIZE)) : 0
    at += length
    if (parts === 0) {
      streamed.push({ from, length })
      continue
    }
    if (lead > 0) streamed.push({ from, length: lead })
    runs.push({ streamed, copied: { from: from + lead, parts } })
    const done = lead + parts * PART_SIZE
    streamed = done < length ? [{ from: from + done, length: length - done }] : []
  }
  return streamed.length > 0 ? [...runs, { streamed, copied: null }] : runs
}

async function drain(stream: ReadableStream<Uint8Array>): Promise<void> {
  const reader = stream.getReader()
  while (!(await reader.read()).done);
}
