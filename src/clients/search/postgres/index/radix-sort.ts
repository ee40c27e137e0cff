import { BACKGROUND_MS, isSliceOver, nextSlice } from '../../../../lib/flow/loop-slices.ts'

const IDS_PER_CHECK = 4096
/** Shifted keys are positive and have 48 bits, which are sorted 16 at a time. */
const SHIFT = 2 ** 47
const DIGIT_VALUES = 2 ** 16
const TWO_DIGITS = 2 ** 32

/**
 * The indexes of whole numbers between -2^47 and 2^47, the highest number first and equal ones as in `before`. Unlike a
 * sort by comparison it can be interrupted. Few are sorted faster without.
 */
export async function sortIndexes(
  keys: Float64Array | Int32Array,
  before: Int32Array = new Int32Array(keys.keys()),
): Promise<Int32Array> {
  const { length } = keys
  if (length <= IDS_PER_CHECK) return before.sort((left, right) => (keys[right] ?? 0) - (keys[left] ?? 0))
  const digits = [new Uint16Array(length), new Uint16Array(length), new Uint16Array(length)] as const
  for (let index = 0; index < length; index += 1) {
    if (index % IDS_PER_CHECK === 0 && isSliceOver(BACKGROUND_MS)) await nextSlice()
    const shifted = (keys[index] ?? 0) + SHIFT
    const high = Math.floor(shifted / TWO_DIGITS)
    const low = shifted - high * TWO_DIGITS
    digits[0][index] = low
    digits[1][index] = low / DIGIT_VALUES
    digits[2][index] = high
  }
  let sorted = before
  for (const digit of digits) sorted = await sortByDigit(sorted, digit)
  return sorted
}

/** A stable sort by one digit of each key, the highest first. */
async function sortByDigit(ids: Int32Array, digits: Uint16Array): Promise<Int32Array> {
  const offsets = new Int32Array(DIGIT_VALUES)
  for (let id = 0; id < digits.length; id += 1) {
    const digit = digits[id] ?? 0
    offsets[digit] = (offsets[digit] ?? 0) + 1
  }
  let total = 0
  for (let digit = DIGIT_VALUES - 1; digit >= 0; digit -= 1) {
    const count = offsets[digit] ?? 0
    offsets[digit] = total
    total += count
  }
  const sorted = new Int32Array(ids.length)
  for (let index = 0; index < ids.length; index += 1) {
    if (index % IDS_PER_CHECK === 0 && isSliceOver(BACKGROUND_MS)) await nextSlice()
    const id = ids[index] ?? 0
    const digit = digits[id] ?? 0
    const at = offsets[digit] ?? 0
    sorted[at] = id
    offsets[digit] = at + 1
  }
  return sorted
}
