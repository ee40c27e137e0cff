import type { ComponentChildren } from 'preact'

import type { JamState } from '../../domain/jams.ts'
import type { JamSummary } from '../../features/jams/jams/model.ts'
import { plural } from '../../lib/text/show.ts'
import { DAY_MS, MINUTE_MS } from '../../lib/time.ts'
import { Badge, Moment } from '../kit/labels.tsx'

const HOUR_MS = 60 * MINUTE_MS

/** A time in UTC. With script it is in the visitor's zone, with the name of that. */
export function ZonedMoment({ at }: { at: string }) {
  return (
    <span data-zoned={at}>
      <Moment at={at} />
    </span>
  )
}

/** "3 days", "5 hours", "20 minutes": rounded down, so that nobody is told more than there is. */
export function spanText(ms: number): string {
  if (ms >= 2 * DAY_MS) return plural(Math.floor(ms / DAY_MS), 'day')
  if (ms >= 2 * HOUR_MS) return plural(Math.floor(ms / HOUR_MS), 'hour')
  return ms < MINUTE_MS ? 'less than a minute' : plural(Math.floor(ms / MINUTE_MS), 'minute')
}

type Timed = Pick<JamSummary, 'state' | 'starts_at' | 'ends_at' | 'voting_ends_at'>

/** The next thing that happens; null for a jam that is over. */
function nextOf({ state, starts_at, ends_at, voting_ends_at }: Timed): { words: string; at: string } | null {
  if (state === 'coming') return { words: 'Starts', at: starts_at }
  if (state === 'running') return { words: 'Ends', at: ends_at }
  if (state === 'voting' && voting_ends_at !== null) return { words: 'Voting ends', at: voting_ends_at }
  return null
}

/** "Ends 31 Jan 2026, 12:00 UTC, in 3 days". */
export function NextTime({ jam, now }: { jam: Timed; now: number }) {
  const next = nextOf(jam)
  if (next === null) {
    return (
      <>
        Ended <ZonedMoment at={jam.voting_ends_at ?? jam.ends_at} />
      </>
    )
  }
  return (
    <>
      {next.words} <ZonedMoment at={next.at} />
      <Countdown at={next.at} now={now}>
        , in {spanText(Date.parse(next.at) - now)}
      </Countdown>
    </>
  )
}

interface CountdownProps {
  at: string
  /** The clock of the store, because that of the visitor may be wrong. */
  now: number
  children: ComponentChildren
}

export function Countdown({ at, now, children }: CountdownProps) {
  return (
    <span data-countdown={at} data-now={String(now)}>
      {children}
    </span>
  )
}

export const STATE_LABELS: Readonly<Record<JamState, string>> = {
  coming: 'Coming',
  running: 'Running',
  voting: 'Voting',
  past: 'Past',
}
const STATE_TONES = { coming: 'fair', running: 'good', voting: 'warn', past: 'none' } as const

export function StateBadge({ state }: { state: JamState }) {
  return <Badge tone={STATE_TONES[state]}>{STATE_LABELS[state]}</Badge>
}
