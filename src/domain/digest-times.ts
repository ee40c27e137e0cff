import { DAY_MS } from '../lib/time.ts'
import type { DigestRhythm } from './notices.ts'

/** When somebody wants their digests. */
export interface DigestTimes {
  rhythm: DigestRhythm
  /** Of the day in the time zone, from 0 to 23. */
  hour: number
  /** An IANA name. */
  timeZone: string
}

/** Weekly digests come on this day, before the weekend. Sunday is 0. */
const WEEKDAY = 5
export const DIGEST_DAY = 'Friday'
const HOUR_MS = 60 * 60 * 1000
/** After a move to a time zone in which the day of the last digest is not over yet. */
const APART_MS = 12 * HOUR_MS
/** The day of the week returns within these, also after a digest on that very day. */
const DAYS_AHEAD = 15

/**
 * The first such moment after `now`. No two digests are on one day of the time zone. An hour that a change of the clock
 * leaves out is the first one after it; of one that comes twice it is the first.
 */
export function computeNextDigest(times: DigestTimes, now: Date, last: Date | null): Date {
  const { rhythm, hour, timeZone } = times
  const today = localDay(now, timeZone)
  const lastDay = last && localDay(last, timeZone)
  for (let ahead = 0; ahead <= DAYS_AHEAD; ahead += 1) {
    const day = today + ahead * DAY_MS
    if (rhythm === 'weekly' && new Date(day).getUTCDay() !== WEEKDAY) continue
    if (lastDay !== null && day <= lastDay) continue
    const at = toMoment(day + hour * HOUR_MS, timeZone)
    if (at > now.getTime() && (last === null || at >= last.getTime() + APART_MS)) return new Date(at)
  }
  throw new Error(`There is no moment for a digest at ${hour} in ${timeZone}`)
}

/** Whether both moments are on one day in the time zone. */
export function isSameDay(one: Date, other: Date, timeZone: string): boolean {
  return localDay(one, timeZone) === localDay(other, timeZone)
}

/** What clocks in the time zone show then, as if it were UTC. */
function toLocal(at: number, timeZone: string): number {
  const parts = new Map(
    formatterOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
}

/** The moment at which clocks show this. */
function toMoment(local: number, timeZone: string): number {
  const offsetAt = (at: number) => toLocal(at, timeZone) - at
  const [before, after] = [offsetAt(local - DAY_MS), offsetAt(local + DAY_MS)]
  const fits = [local - before, local - after].filter((at) => toLocal(at, timeZone) === local)
  return fits.length === 0 ? local - before : Math.min(...fits)
}

function localDay(at: Date, timeZone: string): number {
  const local = toLocal(Math.floor(at.getTime() / 1000) * 1000, timeZone)
  return local - (((local % DAY_MS) + DAY_MS) % DAY_MS)
}

/** Making one takes longer than all else here. */
const formatters = new Map<string, Intl.DateTimeFormat>()
const FORMATTERS_MAX = 500

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone)
  if (known) return known
  const formatter = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  if (formatters.size >= FORMATTERS_MAX) formatters.clear()
  formatters.set(timeZone, formatter)
  return formatter
}

/** Like Europe/Berlin or UTC; offsets like +02:00 know no changes of the clock. */
const ZONE = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+){0,2}$/
export const TIME_ZONE_MAX = 64

export function isTimeZone(text: string): boolean {
  if (text.length > TIME_ZONE_MAX || !ZONE.test(text)) return false
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: text }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** For lists to choose from. */
export function listTimeZones(): string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')]
}
