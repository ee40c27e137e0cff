import { expect, test } from 'bun:test'

import { LATE, waitAtMost, withTimeout } from '../../../../src/lib/flow/with-timeout.ts'

const never = new Promise<never>(() => undefined)

test('work that settles in time is the result, and fails as it does', async () => {
  expect(await waitAtMost(5000, Promise.resolve('done'))).toBe('done')
  expect(waitAtMost(5000, Promise.reject(new Error('broken')))).rejects.toThrow('broken')
})

test('work that does not settle is late', async () => {
  expect(await waitAtMost(20, never)).toBe(LATE)
  expect(withTimeout(20, never)).rejects.toThrow('no answer within 0.02 s')
})

test('a process that stood still waits on for what came meanwhile', async () => {
  const waiting = waitAtMost(
    400,
    Bun.sleep(420).then(() => 'done'),
  )
  Bun.sleepSync(600)
  expect(await waiting).toBe('done')
})
