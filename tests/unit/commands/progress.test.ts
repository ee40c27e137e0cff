import { expect, test } from 'bun:test'

import { describeProgress } from '../../../src/commands/context.ts'
import { formatDuration } from '../../../src/lib/text/show.ts'

test('progress names the share, the speed and the time left', () => {
  expect(describeProgress({ done: 412_000, total: 1_000_000 }, 400_000, 80_000)).toBe(
    '412,000 of 1,000,000 listings (41 %), 5,000 per second, about 2 minutes left',
  )
})

test('at the start only the share is known, at the end nothing is left', () => {
  expect(describeProgress({ done: 300, total: 900 }, 0, 0)).toBe('300 of 900 listings (33 %)')
  expect(describeProgress({ done: 900, total: 900 }, 600, 2000)).toBe(
    '900 of 900 listings (100 %), 300 per second',
  )
  expect(describeProgress({ done: 0, total: 0 }, 0, 10)).toBe('0 of 0 listings (100 %)')
})

test.each([
  [0.2, '1 second'],
  [59.1, '60 seconds'],
  [90, '2 minutes'],
  [3600, '60 minutes'],
  [5400, '2 hours'],
])('%p seconds are %p', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text)
})
