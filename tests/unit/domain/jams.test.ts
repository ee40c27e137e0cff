import { expect, test } from 'bun:test'

import { computeOpening, computeState, isOpenFor, type JamTimes } from '../../../src/domain/jams.ts'

const at = (time: string) => new Date(`2026-03-${time}:00Z`)

const RANKED: JamTimes = {
  startsAt: at('01T12:00'),
  endsAt: at('03T12:00'),
  votingEndsAt: at('10T12:00'),
  graceMinutes: 30,
}
const UNRANKED: JamTimes = { ...RANKED, votingEndsAt: null }

test('a jam comes, runs, is voted on and is past', () => {
  const states = ['01T11:59', '01T12:00', '03T11:59', '03T12:00', '10T11:59', '10T12:00'].map((time) =>
    computeState(RANKED, at(time)),
  )
  expect(states).toEqual(['coming', 'running', 'running', 'voting', 'voting', 'past'])
})

test('a jam without voting is past once it ends', () => {
  expect(computeState(UNRANKED, at('03T11:59'))).toBe('running')
  expect(computeState(UNRANKED, at('03T12:00'))).toBe('past')
})

test('entries are taken from the start until the end, not with it', () => {
  const isOpen = (time: string) => isOpenFor(RANKED, 'submit', at(time))
  expect(['01T11:59', '01T12:00', '03T11:59', '03T12:00'].map(isOpen)).toEqual([false, true, true, false])
})

test('voting opens after the grace, and never without voting', () => {
  const isOpen = (time: string) => isOpenFor(RANKED, 'rate', at(time))
  expect(['03T12:00', '03T12:29', '03T12:30', '10T11:59', '10T12:00'].map(isOpen)).toEqual([
    false,
    false,
    true,
    true,
    false,
  ])
  expect(computeOpening(UNRANKED, 'rate')).toEqual({ opensAt: null, closesAt: null })
  expect(isOpenFor(UNRANKED, 'rate', at('04T12:00'))).toBe(false)
})

test('joining is open until all is over, and editing until the start', () => {
  expect(isOpenFor(RANKED, 'join', at('01T00:00'))).toBe(true)
  expect(isOpenFor(RANKED, 'join', at('10T12:00'))).toBe(false)
  expect(isOpenFor(UNRANKED, 'join', at('03T12:00'))).toBe(false)
  expect(isOpenFor(RANKED, 'edit', at('01T11:59'))).toBe(true)
  expect(isOpenFor(RANKED, 'edit', at('01T12:00'))).toBe(false)
})

test('results come with the end of the voting', () => {
  expect(isOpenFor(RANKED, 'see_results', at('10T11:59'))).toBe(false)
  expect(isOpenFor(RANKED, 'see_results', at('10T12:00'))).toBe(true)
  expect(isOpenFor(UNRANKED, 'see_results', at('11T12:00'))).toBe(false)
})
