import { open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { unlessMissing } from '../../../lib/unless-missing.ts'
import type { ByteSource } from '../../../lib/zip/block-reader.ts'

/** Bytes of the zip that are needed, and what for. */
export interface Wanted<Use> {
  start: number
  end: number
  use: Use
}

/** One request. */
export interface RangeRequest<Use> {
  start: number
  end: number
  wanted: Wanted<Use>[]
}

/** Fewer bytes than this between two parts cost less than a request of their own. */
const GAP_MAX = 16 * 1024
/** So that several connections have work, and little is under way when the command is killed. */
export const REQUEST_MAX = 2 * 1024 ** 2

/** Neighbouring parts in one request each, in the order of the zip. */
export function groupRanges<Use>(
  wanted: readonly Wanted<Use>[],
  { gap = GAP_MAX, max = REQUEST_MAX }: { gap?: number; max?: number } = {},
): RangeRequest<Use>[] {
  const requests: RangeRequest<Use>[] = []
  for (const part of wanted.toSorted((a, b) => a.start - b.start)) {
    const last = requests.at(-1)
    const isNear = last && part.start >= last.end && part.start - last.end <= gap
    if (last && isNear && part.end - last.start <= max) {
      last.end = part.end
      last.wanted.push(part)
    } else requests.push({ start: part.start, end: part.end, wanted: [part] })
  }
  return requests
}

const SEGMENT_SIZE = REQUEST_MAX

/** A part of a spool that is still to come; bytes are added to the end of its file. */
export interface Segment {
  path: string
  /** In the zip. */
  start: number
  end: number
}

/**
 * Bytes of the zip as they are, for what cannot be unpacked in parts. Each segment is a file that only grows, so its
 * length says where an interrupted command goes on.
 */
export class Spool implements ByteSource {
  /** `start`: where its first byte is in the zip. */
  constructor(
    private readonly folder: string,
    private readonly start: number,
    readonly size: number,
  ) {}

  async listMissing(): Promise<Segment[]> {
    const missing: Segment[] = []
    for (let at = 0; at < this.size; at += SEGMENT_SIZE) {
      const path = this.#path(at)
      const end = Math.min(this.size, at + SEGMENT_SIZE)
      const have = (await unlessMissing(stat(path)))?.size ?? 0
      if (at + have < end) missing.push({ path, start: this.start + at + have, end: this.start + end })
    }
    return missing
  }

  async read(start: number, end: number): Promise<Uint8Array> {
    const bytes = Buffer.allocUnsafe(end - start)
    for (let at = start; at < end;) {
      const from = at % SEGMENT_SIZE
      await using handle = await open(this.#path(at), 'r')
      const { bytesRead } = await handle.read(
        bytes,
        at - start,
        Math.min(end - at, SEGMENT_SIZE - from),
        from,
      )
      if (bytesRead === 0) return bytes.subarray(0, at - start)
      at += bytesRead
    }
    return bytes
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true })
  }

  #path(at: number): string {
    return join(this.folder, String(Math.floor(at / SEGMENT_SIZE)))
  }
}
