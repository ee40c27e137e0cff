import { expect, test } from 'bun:test'

import { isTooMuch } from '../../../../src/features/storage/reclaim.ts'

test.each([
  [0, 0, false],
  [25, 25, false],
  [26, 26, true],
  [26, 259, true],
  [26, 260, false],
  [100_000, 1_000_000, false],
  [100_001, 1_000_000, true],
])('%d unused objects of %d wait for the operator: %p', (orphans, listed, expected) => {
  expect(isTooMuch({ kind: 'builds', listed, orphans, bytes: 0, sample: [] })).toBe(expected)
})
