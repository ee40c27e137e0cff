import { describe, expect, test } from 'bun:test'

import {
  BURST_ACCOUNTS_MAX,
  BURST_MS,
  type CastVote,
  findBursts,
  findChangedFaults,
  findOneTeamVoters,
} from '../../../../src/domain/jams/vote-faults.ts'

const START = Date.parse('2026-03-01T12:00:00Z')
const TEAMS: Record<string, string[]> = { a: ['ann', 'ben'], b: ['ben'], c: ['cleo'] }
const facts = { teamOf: (uid: string) => TEAMS[uid] ?? [], isTooYoung: (uid: string) => uid === 'young' }

let count = 0
function vote(values: Partial<CastVote> = {}): CastVote {
  count += 1
  return {
    uid: `vote-${count}`,
    entryUid: 'a',
    voterUid: `voter-${count}`,
    networkHash: 'here',
    accountDays: 0,
    castAt: new Date(START),
    fault: null,
    decision: null,
    ...values,
  }
}

/** Votes of young accounts, the given number of minutes after each other. */
const crowd = (size: number, minutes = 1, values: Partial<CastVote> = {}) =>
  Array.from({ length: size }, (_, index) =>
    vote({ castAt: new Date(START + index * minutes * 60_000), ...values }),
  )

describe('one team', () => {
  const votersOf = (...rated: [voterUid: string | null, entryUid: string][]) =>
    findOneTeamVoters(
      rated.map(([voterUid, entryUid]) => ({ voterUid, entryUid })),
      facts,
    )

  test('is what an account rated that rated only entries with a person in common', () => {
    expect([...votersOf(['x', 'a'])]).toEqual(['x'])
    expect([...votersOf(['x', 'a'], ['x', 'b'])]).toEqual(['x'])
  })

  test('is not what an account rated that rated others too', () => {
    expect(votersOf(['x', 'a'], ['x', 'c']).size).toBe(0)
    expect([...votersOf(['x', 'a'], ['y', 'c'], ['x', 'c'])]).toEqual(['y'])
  })

  test('says nothing about deleted accounts', () => {
    expect(votersOf([null, 'a']).size).toBe(0)
  })
})

describe('a burst', () => {
  test('is more young accounts of one network than are believed, all of them', () => {
    const most = crowd(BURST_ACCOUNTS_MAX)
    expect(findBursts(most).size).toBe(0)
    expect(findBursts(crowd(BURST_ACCOUNTS_MAX + 1)).size).toBe(BURST_ACCOUNTS_MAX + 1)
    expect(findBursts(crowd(BURST_ACCOUNTS_MAX + 10)).size).toBe(BURST_ACCOUNTS_MAX + 10)
  })

  test('happens within an hour, whose end belongs to it', () => {
    const hour = crowd(BURST_ACCOUNTS_MAX)
    expect(findBursts([...hour, vote({ castAt: new Date(START + BURST_MS) })]).size).toBe(6)
    expect(findBursts([...hour, vote({ castAt: new Date(START + BURST_MS + 1) })]).size).toBe(0)
    expect(findBursts(crowd(30, 15)).size).toBe(0)
  })

  test('leaves votes before and after it alone', () => {
    const early = vote({ castAt: new Date(START - 2 * BURST_MS) })
    const late = vote({ castAt: new Date(START + 2 * BURST_MS) })
    const found = findBursts([early, late, ...crowd(6)])
    expect(found.size).toBe(6)
    expect(found.has(early.uid) || found.has(late.uid)).toBe(false)
  })

  test('needs one entry, one known network and accounts younger than a week', () => {
    expect(findBursts([...crowd(3), ...crowd(3, 1, { entryUid: 'b' })]).size).toBe(0)
    expect(findBursts([...crowd(3), ...crowd(3, 1, { networkHash: 'there' })]).size).toBe(0)
    expect(findBursts(crowd(9, 1, { networkHash: null })).size).toBe(0)
    expect(findBursts([...crowd(3), ...crowd(3, 1, { accountDays: 7 })]).size).toBe(0)
    expect(findBursts(crowd(6, 1, { accountDays: 6 })).size).toBe(6)
  })

  test('counts accounts that were deleted', () => {
    expect(findBursts(crowd(6, 1, { voterUid: null })).size).toBe(6)
  })
})

describe('faults that changed', () => {
  const fair = (voterUid: string, values: Partial<CastVote> = {}) => [
    vote({ voterUid, ...values }),
    vote({ voterUid, entryUid: 'c', ...values }),
  ]

  test('are found and cleared', () => {
    const [one, other] = fair('x', { fault: 'one_team' })
    const single = vote({ voterUid: 'single' })
    const found = findChangedFaults(
      [one, other, single].filter((each) => each !== undefined),
      facts,
    )
    expect(Object.fromEntries(found)).toEqual({
      [one?.uid ?? '']: null,
      [other?.uid ?? '']: null,
      [single.uid]: 'one_team',
    })
  })

  test('name accounts that are too young, and bursts', () => {
    const young = fair('young', { accountDays: 30 })
    const burst = crowd(6)
    const others = burst.map(({ voterUid }) => vote({ voterUid, entryUid: 'c', networkHash: null }))
    const found = findChangedFaults([...young, ...burst, ...others], facts)
    expect(young.map(({ uid }) => found.get(uid))).toEqual(['too_young', 'too_young'])
    expect(burst.map(({ uid }) => found.get(uid))).toEqual(Array(6).fill('burst'))
    expect(found.size).toBe(8)
  })

  test('are not those that a host decided, nor those of deleted accounts', () => {
    const votes = [
      vote({ decision: 'restored' }),
      vote({ decision: 'voided', fault: 'voided' }),
      vote({ voterUid: null, fault: 'one_team' }),
      vote({ voterUid: null }),
    ]
    expect(findChangedFaults(votes, facts).size).toBe(0)
  })
})
