import { expect, test } from 'bun:test'

import { isAllowedPrice, isPaidPrice } from '../../../../src/domain/listings/store-rules.ts'

test.each([
  [-1, false, false],
  [0, true, false],
  [1, false, false],
  [98, false, false],
  [99, true, true],
  [99.5, false, false],
  [9999, true, true],
  [10_000, false, false],
  [Number.NaN, false, false],
])('%d cents: allowed %p, paid %p', (cents, isAllowed, isPaid) => {
  expect(isAllowedPrice(cents)).toBe(isAllowed)
  expect(isPaidPrice(cents)).toBe(isPaid)
})
