const DAYS = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
const MOMENTS = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
const DAYS_OF_YEAR = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

interface TimeProps {
  /** An ISO date or moment. */
  at: string
}

/** "31 Jan 2026". */
export function Day({ at }: TimeProps) {
  return <time dateTime={at}>{DAYS.format(new Date(at))}</time>
}

/** "31 Jan 2026, 12:00 UTC". */
export function Moment({ at }: TimeProps) {
  return <time dateTime={at}>{MOMENTS.format(new Date(at))} UTC</time>
}

/** "31 Jan", for the axis of a chart. */
export function dayOfYearText(day: string): string {
  return DAYS_OF_YEAR.format(new Date(day))
}
