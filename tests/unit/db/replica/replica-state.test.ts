import { expect, test } from 'bun:test'

import { findReplicaFault, hasReplayed, type ReplicaState } from '../../../../src/db/replica/replica-state.ts'

const primary = { system: '7', installation: 'a', timeline: '00000002', position: '9007199254740993' }
const replica: ReplicaState = { ...primary, isReplica: true, startedAt: 'now' }

test('a replica of the primary has no fault, however far it is behind', () => {
  expect(findReplicaFault(primary, { ...replica, position: '1' })).toBeNull()
})

const FOREIGN: readonly [Partial<ReplicaState>, string][] = [
  [{ isReplica: false }, 'not a replica'],
  [{ system: '8' }, 'another Postgres'],
  [{ installation: 'b' }, 'another installation'],
  [{ installation: null }, 'another installation'],
  [{ timeline: '00000001' }, 'failover'],
  [{ timeline: '00000003' }, 'failover'],
]
test.each(FOREIGN)('a server with %o is refused', (difference, reason) => {
  expect(findReplicaFault(primary, { ...replica, ...difference })).toContain(reason)
})

test('positions beyond 53 bits are compared exactly', () => {
  expect(hasReplayed(replica, primary)).toBe(true)
  expect(hasReplayed({ ...replica, position: '9007199254740992' }, primary)).toBe(false)
})
