import { expect, test } from 'bun:test'

import { computePlace, GIVEN_MAX, sortQueue } from '../../../../src/domain/jams/queue-order.ts'

const entry = (uid: string, received: number, given: number) => ({ uid, received, given })
const order = (entries: ReturnType<typeof entry>[], minRatings = 5) =>
  sortQueue(entries, minRatings, (uid) => uid.charCodeAt(0)).map(({ uid }) => uid)

test('entries with few ratings come first', () => {
  expect(order([entry('a', 3, 0), entry('b', 1, 0), entry('c', 2, 0)])).toEqual(['b', 'c', 'a'])
})

test('the ratings that a team gives move its entry ahead, up to a bound', () => {
  expect(order([entry('a', 3, 0), entry('b', 4, 4)])).toEqual(['b', 'a'])
  expect(computePlace({ received: 30, given: GIVEN_MAX }, 5)).toEqual(
    computePlace({ received: 30, given: GIVEN_MAX * 10 }, 5),
  )
})

test('entries that still need ratings come before all that have enough', () => {
  expect(order([entry('a', 5, 100), entry('b', 4, 0)])).toEqual(['b', 'a'])
})

test('the draw decides among equals', () => {
  expect(order([entry('c', 1, 0), entry('a', 1, 0), entry('b', 2, 2)])).toEqual(['a', 'b', 'c'])
})
