const DIGITS = /^[1-9]\d{0,19}$/
const LARGEST = 2n ** 64n - 1n

/** Account ids of the external store are 64-bit numbers, written as texts since a number cannot hold them. */
export function isExtstoreId(text: string): boolean {
  return DIGITS.test(text) && BigInt(text) <= LARGEST
}
