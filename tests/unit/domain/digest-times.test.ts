import { describe, expect, test } from 'bun:test'

import {
  computeNextDigest,
  type DigestTimes,
  isTimeZone,
  listTimeZones,
} from '../../../src/domain/digest-times.ts'
import { DAY_MS } from '../../../src/lib/time.ts'

const daily = (timeZone: string, hour: number): DigestTimes => ({ rhythm: 'daily', hour, timeZone })
const next = (times: DigestTimes, now: string, last: string | null = null) =>
  computeNextDigest(times, new Date(now), last === null ? null : new Date(last)).toISOString()

/** The digests of some days, each computed at the one before. */
function listDigests(times: DigestTimes, from: string, count: number): string[] {
  const found: string[] = []
  let [at, last]: [Date, Date | null] = [new Date(from), null]
  for (let index = 0; index < count; index += 1) {
    at = computeNextDigest(times, at, last)
    last = at
    found.push(at.toISOString())
  }
  return found
}

describe('the next digest', () => {
  test.each([
    ['UTC', 18, '2026-11-19T17:59:59.000Z', '2026-11-19T18:00:00.000Z'],
    ['UTC', 18, '2026-11-19T18:00:00.000Z', '2026-11-20T18:00:00.000Z'],
    ['Asia/Kolkata', 8, '2026-11-19T00:00:00.000Z', '2026-11-19T02:30:00.000Z'],
    ['Asia/Kathmandu', 0, '2026-11-19T00:00:00.000Z', '2026-11-19T18:15:00.000Z'],
    ['Australia/Adelaide', 23, '2026-11-19T00:00:00.000Z', '2026-11-19T12:30:00.000Z'],
    ['Pacific/Kiritimati', 1, '2026-11-19T00:00:00.000Z', '2026-11-19T11:00:00.000Z'],
    ['America/New_York', 20, '2026-11-19T00:00:00.000Z', '2026-11-19T01:00:00.000Z'],
  ])('in %s at %i, seen from %s', (zone, hour, now, expected) => {
    expect(next(daily(zone, hour), now)).toBe(expected)
  })

  test('of a week comes on a Friday, also after one on a Friday', () => {
    const weekly: DigestTimes = { rhythm: 'weekly', hour: 18, timeZone: 'Europe/Berlin' }
    expect(next(weekly, '2026-11-19T12:00:00Z')).toBe('2026-11-20T17:00:00.000Z')
    expect(next(weekly, '2026-11-20T17:00:00Z', '2026-11-20T17:00:00Z')).toBe('2026-11-27T17:00:00.000Z')
    expect(next(weekly, '2026-11-20T08:00:00Z', '2026-11-20T07:00:00Z')).toBe('2026-11-27T17:00:00.000Z')
  })
})

describe('a change of the clock', () => {
  test('that leaves the hour out moves the digest to the first one after it', () => {
    // 2026-03-29, 2:00 to 3:00 in Berlin; 2026-03-08 in New York.
    expect(listDigests(daily('Europe/Berlin', 2), '2026-03-27T12:00:00Z', 3)).toEqual([
      '2026-03-28T01:00:00.000Z',
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:00:00.000Z',
    ])
    expect(listDigests(daily('America/New_York', 2), '2026-03-07T00:00:00Z', 3)).toEqual([
      '2026-03-07T07:00:00.000Z',
      '2026-03-08T07:00:00.000Z',
      '2026-03-09T06:00:00.000Z',
    ])
  })

  test('that repeats the hour gives one digest, not two', () => {
    expect(listDigests(daily('Europe/Berlin', 2), '2026-10-24T12:00:00Z', 2)).toEqual([
      '2026-10-25T00:00:00.000Z',
      '2026-10-26T01:00:00.000Z',
    ])
    expect(listDigests(daily('America/New_York', 1), '2026-10-31T12:00:00Z', 2)).toEqual([
      '2026-11-01T05:00:00.000Z',
      '2026-11-02T06:00:00.000Z',
    ])
    expect(next(daily('Europe/Berlin', 2), '2026-10-25T00:30:00Z', '2026-10-25T00:00:01Z')).toBe(
      '2026-10-26T01:00:00.000Z',
    )
  })

  test.each([
    ['Europe/Berlin', 2],
    ['America/New_York', 1],
    ['Australia/Lord_Howe', 2],
    ['Africa/Cairo', 0],
    ['Asia/Kathmandu', 5],
  ])('in a year of %s at %i: one a day', (zone, hour) => {
    const found = listDigests(daily(zone, hour), '2026-01-01T12:00:00Z', 365)
    const days = found.map((at) => new Date(at).toLocaleDateString('en-CA', { timeZone: zone }))
    expect(new Set(days).size).toBe(365)
    const first = Date.parse(days[0] ?? '')
    expect(days).toEqual(
      Array.from({ length: 365 }, (_, index) => new Date(first + index * DAY_MS).toISOString().slice(0, 10)),
    )
  })
})

describe('another hour or zone', () => {
  test('never brings a second digest of the day', () => {
    expect(next(daily('UTC', 20), '2026-11-19T18:30:00Z', '2026-11-19T18:00:00Z')).toBe(
      '2026-11-20T20:00:00.000Z',
    )
    const moved = next(daily('Pacific/Honolulu', 12), '2026-11-19T01:00:00Z', '2026-11-19T00:59:00Z')
    expect(Date.parse(moved)).toBeGreaterThan(Date.parse('2026-11-19T12:00:00Z'))
  })
})

test('zones are names that know the changes of the clock', () => {
  for (const zone of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5', 'Asia/Kolkata'])
    expect(isTimeZone(zone)).toBe(true)
  for (const zone of [
    '',
    '+02:00',
    'Europe/Nowhere',
    'Europe/\u202eBerlin',
    `Europe/${'a'.repeat(80)}`,
    '../etc/passwd',
  ])
    expect(isTimeZone(zone)).toBe(false)
  for (const zone of listTimeZones()) expect(isTimeZone(zone)).toBe(true)
})
