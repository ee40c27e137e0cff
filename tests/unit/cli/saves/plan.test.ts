import { expect, test } from 'bun:test'

import { planSave } from '../../../../src/cli/saves/plan.ts'

const [A, B, C] = ['a'.repeat(64), 'b'.repeat(64), 'c'.repeat(64)]
const synced = (revision: string, sha256: string | null) => ({ revision, sha256 })
const remote = (revision: string, sha256: string) => ({ revision, sha256 })

test.each([
  ['nothing anywhere', null, null, null, 'none'],
  ['a first save here', null, A, null, 'push'],
  ['a first save in the account', null, null, remote('1', A), 'pull'],
  ['the same on both sides, found by its content', null, A, remote('1', A), 'adopt'],
  ['two saves that never were the same', null, A, remote('1', B), 'conflict'],
  ['nothing changed', synced('1', A), A, remote('1', A), 'none'],
  ['a change here', synced('1', A), B, remote('1', A), 'push'],
  ['a change in the account', synced('1', A), A, remote('2', B), 'pull'],
  ['a change on both sides', synced('1', A), B, remote('2', C), 'conflict'],
  ['the same change on both sides', synced('1', A), B, remote('2', B), 'adopt'],
  ['the same bytes under a new revision', synced('1', A), A, remote('2', A), 'adopt'],
  ['files that are missing after a reinstall', synced('1', A), null, remote('1', A), 'pull'],
  ['a file that the game deleted', synced('1', null), null, remote('1', A), 'none'],
  ['a newer save after the game deleted its own', synced('1', null), null, remote('2', B), 'pull'],
  ['a new file after the game deleted its own', synced('1', null), B, remote('1', A), 'push'],
  ['a slot that was deleted in the account', synced('1', A), A, null, 'none'],
  ['a change after the slot was deleted in the account', synced('1', A), B, null, 'push'],
  ['a zip of another packer with the same files', synced('1', A), A, remote('1', B), 'none'],
] as const)('%s', (_, before, local, now, step) => {
  expect(planSave({ synced: before, local, remote: now })).toBe(step)
})
