const DIGITS = /^[1-9]\d{0,19}$/
const LARGEST = 2n ** 64n - 1n

/** Account ids of the external store are 64-bit, so they are strings: a JavaScript number cannot hold them. */
export function isExtstoreId(text: string): boolean {
  return DIGITS.test(text) && BigInt(text) <= LARGEST
}
