import type { NextSection, Section } from '../snapshots/snapshot-file.ts'
import type { Bitset } from './bitset.ts'
import { copyInto, grownLength } from './growth.ts'

const UID_BYTES = 16
const UID_WORDS = UID_BYTES / Uint32Array.BYTES_PER_ELEMENT

/** The uid of each document, in 16 bytes instead of a string of about 80. */
export class Uids {
  /** The highest id plus one. */
  size = 0
  private bytes = new Uint8Array()

  set(id: number, uid: string): void {
    const start = id * UID_BYTES
    if (start + UID_BYTES > this.bytes.length) {
      const length = grownLength(start + UID_BYTES, this.bytes.length)
      this.bytes = copyInto(this.bytes, new Uint8Array(length))
    }
    this.bytes.subarray(start, start + UID_BYTES).setFromHex(uid.replaceAll('-', ''))
    this.size = Math.max(this.size, id + 1)
  }

  of(id: number): string {
    const hex = this.bytes.subarray(id * UID_BYTES, (id + 1) * UID_BYTES).toHex()
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
  }

  /** Adds the ids of these documents, also of those that were removed. */
  find(uids: readonly string[], found: Bitset): Bitset {
    // The end of a uid is random: few others have the same.
    const words = new Uint32Array(this.bytes.buffer, 0, this.size * UID_WORDS)
    const wanted = new Set(uids)
    const ends = new Set(uids.map(endOf))
    for (let id = 0; id < this.size; id += 1)
      if (ends.has(words[id * UID_WORDS + UID_WORDS - 1] ?? 0) && wanted.has(this.of(id))) found.add(id)
    return found
  }

  /** Negative if the left document's uid sorts first. */
  compare(left: number, right: number): number {
    const { bytes } = this
    for (let index = 0; index < UID_BYTES; index += 1) {
      const difference = (bytes[left * UID_BYTES + index] ?? 0) - (bytes[right * UID_BYTES + index] ?? 0)
      if (difference !== 0) return difference
    }
    return 0
  }

  save(): Section[] {
    return [this.bytes.subarray(0, this.size * UID_BYTES)]
  }

  async restore(next: NextSection): Promise<void> {
    this.bytes = new Uint8Array(await next())
    this.size = this.bytes.length / UID_BYTES
  }
}

/** The last word of a uid, in the byte order of this machine. */
function endOf(uid: string): number {
  return new Uint32Array(Uint8Array.fromHex(uid.slice(-8)).buffer)[0] ?? 0
}
