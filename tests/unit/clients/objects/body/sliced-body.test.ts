import { expect, test } from 'bun:test'

import { ReservedSlice } from '../../../../../src/clients/objects/body/sliced-body.ts'
import { createTimeSlices } from '../../../../../src/lib/flow/time-slices.ts'

const LATER_MS = 3_600_000

test('a reserved slot that nobody takes over is released', async () => {
  const slices = createTimeSlices({ slots: 1, sliceMs: 0 })
  const reserved = new ReservedSlice(await slices.acquire(), 1)
  await slices.acquire()
  expect(reserved.take()).toBeNull()
})

test('one that was taken over belongs to its new owner alone', async () => {
  const slices = createTimeSlices({ slots: 1, sliceMs: 0 })
  const reserved = new ReservedSlice(await slices.acquire(), LATER_MS)
  const slice = reserved.take()
  reserved[Symbol.dispose]()
  const next = slices.acquire()
  expect(slice?.isWanted()).toBe(true)
  slice?.[Symbol.dispose]()
  await next
})

test('disposing one that was not taken releases it', async () => {
  const slices = createTimeSlices({ slots: 1, sliceMs: 0 })
  new ReservedSlice(await slices.acquire(), LATER_MS)[Symbol.dispose]()
  await slices.acquire()
})
