const MOMENTS = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** "31 Jan 2026, 12:00 UTC". */
export function momentText(moment: string): string {
  return `${MOMENTS.format(new Date(moment))} UTC`
}
