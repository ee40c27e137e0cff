import { expect, test } from 'bun:test'

import { waitFor, waitWhileProgressing } from '../../helpers/wait.ts'

test('without progress the wait ends with what did not happen', async () => {
  expect(waitFor('rain', () => null, 50)).rejects.toThrow('rain did not happen within 50 ms')
  expect(
    waitWhileProgressing(
      'rain',
      () => null,
      () => 7,
      50,
    ),
  ).rejects.toThrow('rain did not happen')
})

test('with progress it goes on past its limit', async () => {
  let steps = 0
  const startedAt = Date.now()
  const isThere = () => Date.now() - startedAt > 400 && 'here'
  expect(await waitWhileProgressing('rain', isThere, () => (steps += 1), 50)).toBe('here')
})
