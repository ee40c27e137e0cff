import { expect, test } from 'bun:test'

import { createBlockPool, sendInBlocks } from '../../../../../src/clients/objects/body/body-blocks.ts'
import { createTimeSlices } from '../../../../../src/lib/flow/time-slices.ts'

const BLOCK = 4

/** Counts the blocks in use. */
function watchedPool() {
  const pool = createBlockPool(BLOCK, 0)
  const used = { now: 0, most: 0 }
  return {
    used,
    pool: {
      ...pool,
      take() {
        used.now += 1
        used.most = Math.max(used.most, used.now)
        return pool.take()
      },
      give(block: Uint8Array) {
        used.now -= 1
        pool.give(block)
      },
    },
  }
}

async function* piecesOf(text: string) {
  for (let at = 0; at < text.length; at += 3) yield Buffer.from(text.slice(at, at + 3))
}

test.each([
  [1, 1],
  [2, 2],
  [9, 3],
])('with %d slots a body has %d blocks in memory, and its bytes arrive in order', async (slots, most) => {
  const { pool, used } = watchedPool()
  const sent: string[] = []
  using slice = await createTimeSlices({ slots, sliceMs: 1000 }).acquire()
  {
    using result = await sendInBlocks(piecesOf('abcdefghijklmnopqrstuvwxyz'), {
      pool,
      slice,
      parallel: 2,
      async send(block) {
        sent.push(Buffer.from(block).toString())
        await Bun.sleep(1)
      },
    })
    expect(sent.join('') + Buffer.from(result.rest).toString()).toBe('abcdefghijklmnopqrstuvwxyz')
  }
  expect(used).toEqual({ now: 0, most })
})

test('bodies that share slots never have more blocks than slots, and none waits forever', async () => {
  const { pool, used } = watchedPool()
  const slices = createTimeSlices({ slots: 3, sliceMs: 1000 })
  const sizes = await Promise.all(
    Array.from({ length: 8 }, async () => {
      using slice = await slices.acquire()
      let blocks = 0
      const send = async () => {
        blocks += 1
        await Bun.sleep(1)
      }
      using sent = await sendInBlocks(piecesOf('x'.repeat(41)), { pool, slice, parallel: 2, send })
      return blocks * BLOCK + sent.rest.length
    }),
  )
  expect(sizes).toEqual(Array(8).fill(41))
  expect(used.most).toBeLessThanOrEqual(3)
  expect((await slices.acquire()).tryExtend()).not.toBeNull()
})
