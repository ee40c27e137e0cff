import { expect, test } from 'bun:test'

import { BatchWriter } from '../../../../src/lib/flow/batches.ts'

const bounds = { gatherMs: 3_600_000, maxBatchSize: 10, maxHeldSize: 25, sizeOf: (size: number) => size }

test('writes batches within the size, an item that is larger alone, in the order they came', async () => {
  const written: (readonly number[])[] = []
  const writer = new BatchWriter<number>({ ...bounds, write: async (batch) => void written.push(batch) })
  for (const size of [4, 5, 2, 11, 1]) expect(writer.add(size)).toBe(true)
  expect(writer.heldSize).toBe(23)
  await writer.flush()
  expect(written).toEqual([[4, 5], [2], [11], [1]])
  expect(writer.heldSize).toBe(0)
})

test('takes nothing past its bound until something was written', async () => {
  const writer = new BatchWriter<number>({ ...bounds, write: async () => {} })
  expect([10, 15, 1].map((size) => writer.add(size))).toEqual([true, true, false])
  await writer.flush()
  expect(writer.add(1)).toBe(true)
  await writer.close(1000)
})

test('runs so many writes at once', async () => {
  let running = 0
  let most = 0
  const writer = new BatchWriter<number>({
    ...bounds,
    parallel: 2,
    async write() {
      most = Math.max(most, ++running)
      await Bun.sleep(1)
      running -= 1
    },
  })
  for (const size of [8, 8, 8]) writer.add(size)
  await writer.flush()
  expect(most).toBe(2)
})

test('holds a batch that failed, and writes it before later items', async () => {
  const written: number[] = []
  let isDown = true
  const writer = new BatchWriter<number>({
    ...bounds,
    async write(batch) {
      if (isDown) throw new Error('away')
      written.push(...batch)
    },
  })
  writer.add(9)
  await writer.flush()
  expect(writer.heldSize).toBe(9)
  writer.add(8)
  isDown = false
  await writer.close(1000)
  expect(written).toEqual([9, 8])
})
