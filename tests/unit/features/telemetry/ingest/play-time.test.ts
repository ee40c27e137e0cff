import { describe, expect, test } from 'bun:test'

import {
  type Beat,
  creditBeats,
  type PlayClock,
} from '../../../../../src/features/telemetry/ingest/play-time.ts'

const NEW: PlayClock = { creditedAt: 0, restMs: 0, sessions: [] }
const NOON = Date.parse('2026-03-01T12:00:00Z')
const SECOND = 1000
const MINUTE = 60 * SECOND

/** A request that comes in so many seconds after noon, with heartbeats whose times are told in seconds too. */
interface Arrival {
  after: number
  beats: readonly (number | readonly [at: number, session: string])[]
}

function credit(arrivals: readonly Arrival[]): number {
  let clock = NEW
  let total = 0
  for (const { after, beats } of arrivals) {
    const sent: Beat[] = beats.map((beat) => {
      const [at, session] = typeof beat === 'number' ? [beat, 'one'] : beat
      return { session, at: NOON + at * SECOND }
    })
    const result = creditBeats(clock, sent, NOON + after * SECOND)
    clock = result.clock
    total += result.seconds
  }
  return total
}

describe('a heartbeat is worth', () => {
  test.each<[string, number, Arrival[]]>([
    ['nothing when it is the first', 0, [{ after: 0, beats: [0] }]],
    [
      'the time since the one before',
      60,
      [
        { after: 0, beats: [0] },
        { after: 60, beats: [60] },
      ],
    ],
    [
      'at most five minutes',
      300,
      [
        { after: 0, beats: [0] },
        { after: 1200, beats: [1200] },
      ],
    ],
    [
      'exactly five minutes at five minutes',
      300,
      [
        { after: 0, beats: [0] },
        { after: 300, beats: [300] },
      ],
    ],
    [
      'no more than passed on our own clock',
      10,
      [
        { after: 0, beats: [0] },
        { after: 10, beats: [250] },
      ],
    ],
    [
      'nothing when it is sent again',
      60,
      [
        { after: 0, beats: [0] },
        { after: 60, beats: [60] },
        { after: 61, beats: [60] },
      ],
    ],
    [
      'nothing when it is older than the last',
      0,
      [
        { after: 0, beats: [100] },
        { after: 60, beats: [40] },
      ],
    ],
    [
      'nothing on a day sent at once',
      0,
      [{ after: 0, beats: Array.from({ length: 100 }, (_, n) => n * 300) }],
    ],
    [
      'as much when several come in one request, in any order',
      300,
      [
        { after: 0, beats: [0] },
        { after: 300, beats: [240, 60, 300, 120, 180] },
      ],
    ],
    [
      'all the time of a session, whatever the clock of the device says',
      120,
      [
        { after: 0, beats: [50_000] },
        { after: 60, beats: [50_060] },
        { after: 120, beats: [50_120] },
      ],
    ],
  ])('%s', (_, seconds, arrivals) => {
    expect(credit(arrivals)).toBe(seconds)
  })

  test('nothing twice: two sessions at a time are worth as much as one', () => {
    const arrivals = Array.from({ length: 11 }, (_, minute) => [
      { after: minute * 60, beats: [[minute * 60, 'one'] as const] },
      { after: minute * 60 + 20, beats: [[minute * 60 + 20, 'two'] as const] },
    ]).flat()
    expect(credit(arrivals)).toBe(620)
  })

  test('nothing twice in one request either', () => {
    const both = (at: number) => [[at, 'one'] as const, [at, 'two'] as const]
    expect(
      credit([
        { after: 0, beats: both(0) },
        { after: 60, beats: both(60) },
      ]),
    ).toBe(60)
  })

  test('nothing for the time before a session was first heard of', () => {
    const old = { after: 0, beats: [[0, 'old'] as const] }
    expect(
      credit([
        old,
        {
          after: 600,
          beats: [
            [0, 'new'],
            [300, 'new'],
            [600, 'new'],
          ],
        },
      ]),
    ).toBe(0)
  })

  test('parts of a second that add up', () => {
    const arrivals = Array.from({ length: 11 }, (_, n) => ({ after: n * 1.5, beats: [n * 1.5] }))
    expect(credit(arrivals)).toBe(15)
  })

  test('never less than nothing when the clocks of two servers differ', () => {
    expect(
      credit([
        { after: 0, beats: [0] },
        { after: -30, beats: [60] },
      ]),
    ).toBe(0)
  })
})

test('only the sessions heard from last are remembered', () => {
  let clock = NEW
  for (let n = 0; n < 10; n += 1) {
    clock = creditBeats(clock, [{ session: `${n}`, at: NOON }], NOON + n * MINUTE).clock
  }
  expect(clock.sessions.map(({ id }) => id)).toEqual(['6', '7', '8', '9'])
})
