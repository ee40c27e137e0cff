import { once } from '../../../../lib/flow/memoize.ts'

/** WebAssembly for `countCommon(left, right, rightEnd)` on byte offsets: 16 words of 32 bits at a time. */
const MODULE = [
  '0061736d 01000000', // the magic number and the version
  '01 08 01 60037f7f7f017f', // the type (i32, i32, i32) -> i32
  '02 0c 01 00 066d656d6f7279 020001', // (import "" "memory" (memory 1))
  '03 02 01 00', // one function of that type
  '07 09 01 05636f756e74 0000', // (export "count" (func 0))
  '0a 8701 01 8401 01017b', // its body, with a v128 local for the sums
  '0340', // loop
  '2000 fd000400 2001 fd000400 fd4e fd62', // i8x16.popcnt (v128.and (v128.load left) (v128.load right))
  '2000 fd000410 2001 fd000410 fd4e fd62 fd6e', // the same 16 bytes further, i8x16.add
  '2000 fd000420 2001 fd000420 fd4e fd62 fd6e',
  '2000 fd000430 2001 fd000430 fd4e fd62 fd6e',
  'fd7d fd7f', // i16x8.extadd_pairwise_i8x16_u, i32x4.extadd_pairwise_i16x8_u
  '2003 fdae01 2103', // sums = i32x4.add sums
  '2000 41c000 6a 2100', // left += 64
  '2001 41c000 6a 2201 2002 47 0d00 0b', // right += 64, br_if (right != rightEnd), end
  '2003 fd1b00 2003 fd1b01 6a 2003 fd1b02 6a 2003 fd1b03 6a 0b', // add the four sums
]
const STEP = 16
const WORD_BYTES = Int32Array.BYTES_PER_ELEMENT
const PAGE_BYTES = 64 * 1024

/** For each of the others, counts the bits that are set in both. */
type CountCommon = (words: Int32Array, others: readonly Int32Array[]) => number[]

/** About ten times as fast with vector instructions, which some processors without AVX lack. */
const countFast = once(() => openVectorCount() ?? countOneByOne)

export const countCommonBits: CountCommon = (words, others) => countFast()(words, others)

export function countOneByOne(words: Int32Array, others: readonly Int32Array[]): number[] {
  return others.map((other) => {
    const shared = Math.min(words.length, other.length)
    let total = 0
    for (let index = 0; index < shared; index += 1) {
      total += countBits((words[index] ?? 0) & (other[index] ?? 0))
    }
    return total
  })
}

export function countBits(word: number): number {
  const pairs = (word - ((word >>> 1) & 0x55555555)) | 0
  const nibbles = ((pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)) | 0
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** Copies the sets into the memory of the module: that takes less time than counting. */
function openVectorCount(): CountCommon | null {
  const code = Uint8Array.fromHex(MODULE.join('').replaceAll(' ', ''))
  if (!WebAssembly.validate(code)) return null
  const memory = new WebAssembly.Memory({ initial: 1 })
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(code), { '': { memory } })
  const count = exports['count'] as (left: number, right: number, rightEnd: number) => number
  let room = new Int32Array(memory.buffer)

  return (words, others) => {
    const length = Math.ceil(words.length / STEP) * STEP
    if (length * 2 > room.length) {
      memory.grow(Math.ceil(((length * 2 - room.length) * WORD_BYTES) / PAGE_BYTES))
      room = new Int32Array(memory.buffer)
    }
    room.set(words)
    return others.map((other) => {
      const shared = Math.min(words.length, other.length)
      const end = Math.ceil(shared / STEP) * STEP
      if (end === 0) return 0
      room.set(other.subarray(0, shared), length)
      room.fill(0, length + shared, length + end)
      return count(0, length * WORD_BYTES, (length + end) * WORD_BYTES)
    })
  }
}
