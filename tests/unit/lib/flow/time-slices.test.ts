import { expect, test } from 'bun:test'

import { createTimeSlices } from '../../../../src/lib/flow/time-slices.ts'

test('only so many slices run at once, the others follow in the order they came', async () => {
  const slices = createTimeSlices({ slots: 2, sliceMs: 0 })
  const began: string[] = []
  const take = async (name: string) => {
    const slice = await slices.acquire()
    began.push(name)
    return slice
  }
  const [first, second] = await Promise.all([take('first'), take('second')])
  const third = take('third')
  const fourth = take('fourth')
  expect(began).toEqual(['first', 'second'])
  second[Symbol.dispose]()
  ;(await third)[Symbol.dispose]()
  await fourth
  expect(began).toEqual(['first', 'second', 'third', 'fourth'])
  first[Symbol.dispose]()
  await take('fifth')
  expect(began).toHaveLength(5)
})

test('a slot is wanted while others wait for it, and expired once it has also lasted its time', async () => {
  const [short, long] = [
    createTimeSlices({ slots: 1, sliceMs: 0 }),
    createTimeSlices({ slots: 1, sliceMs: 3_600_000 }),
  ]
  const [brief, lasting] = [await short.acquire(), await long.acquire()]
  expect([brief.isWanted(), brief.isExpired()]).toEqual([false, false])
  const next = [short.acquire(), long.acquire()]
  expect([brief.isWanted(), brief.isExpired()]).toEqual([true, true])
  expect([lasting.isWanted(), lasting.isExpired()]).toEqual([true, false])
  brief[Symbol.dispose]()
  lasting[Symbol.dispose]()
  expect((await Promise.all(next)).map((slice) => slice.isWanted())).toEqual([false, false])
})

test('a slice has more slots while some are free and nobody waits for them', async () => {
  const slices = createTimeSlices({ slots: 2, sliceMs: 0 })
  const slice = await slices.acquire()
  const more = slice.tryExtend()
  expect(more).not.toBeNull()
  expect(slice.tryExtend()).toBeNull()
  const next = slices.acquire()
  more?.[Symbol.dispose]()
  await next
  expect(slice.tryExtend()).toBeNull()
})
