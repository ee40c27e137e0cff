import { once } from '../../lib/flow/memoize.ts'

// Created on first use, because the first format takes 10 ms, which would delay the start.
const days = dateFormat({ dateStyle: 'medium' })
const moments = dateFormat({ dateStyle: 'medium', timeStyle: 'short' })
const daysOfYear = dateFormat({ day: 'numeric', month: 'short' })

function dateFormat(options: Intl.DateTimeFormatOptions) {
  return once(() => new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' }))
}

interface TimeProps {
  /** An ISO date or moment. */
  at: string
}

/** "31 Jan 2026". */
export function Day({ at }: TimeProps) {
  return <time dateTime={at}>{days().format(new Date(at))}</time>
}

/** "31 Jan 2026, 12:00 UTC". */
export function Moment({ at }: TimeProps) {
  return <time dateTime={at}>{moments().format(new Date(at))} UTC</time>
}

/** "31 Jan", for the axis of a chart. */
export function dayOfYearText(day: string): string {
  return daysOfYear().format(new Date(day))
}

/** "Friday 31 January at 18:00", in a time zone of one's own. */
export function zonedMomentText(at: string, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    hour: '2-digit',
    minute: '2-digit',
  })
  return format.format(new Date(at))
}
