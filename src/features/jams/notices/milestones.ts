import { computeGraceEnd, type JamTimes } from '../../../domain/jams.ts'
import { jamPath } from '../../../domain/site-urls.ts'
import { DAY_MS } from '../../../lib/time.ts'

const HOUR_MS = 60 * 60 * 1000
/** What is older is no longer told: the worker was away, or the jam was moved into the past. */
const TOLD_DAYS = 2

export interface Announced extends JamTimes {
  uid: string
  slug: string
  title: string
  theme: string
  pinnedAt: Date | null
  publishedAt: Date | null
}

export interface Milestone {
  /** The same for the same milestone of a jam, and another one once its time was moved. */
  onceKey: string
  title: string
  text?: string
  path: string
}

/** What those who joined are to be told at this time, whether they were already or not. */
export function listMilestones(jam: Announced, now: Date): Milestone[] {
  const { uid, slug, title, theme, startsAt, endsAt, votingEndsAt, pinnedAt, publishedAt } = jam
  const isLate = (since: Date) => now.getTime() - since.getTime() > TOLD_DAYS * DAY_MS
  const isWithin = (from: number, until: Date) => now.getTime() >= from && now < until
  const path = jamPath(slug)
  const key = (name: string, at: Date) => `jam ${uid} ${name} ${at.toISOString()}`
  const told: Milestone[] = []
  if (now >= startsAt && now < endsAt && !isLate(startsAt)) {
    const text = theme === '' ? {} : { text: `The theme: ${theme}` }
    told.push({ onceKey: `jam ${uid} start`, title: `${title} has started`, ...text, path })
  }
  const [dayBefore, hourBefore] = [endsAt.getTime() - DAY_MS, endsAt.getTime() - HOUR_MS]
  // Not of a jam that is shorter than that: it began just now.
  if (dayBefore > startsAt.getTime() && isWithin(dayBefore, new Date(hourBefore)))
    told.push({ onceKey: key('day', endsAt), title: `${title} ends within a day`, path })
  if (hourBefore > startsAt.getTime() && isWithin(hourBefore, endsAt))
    told.push({ onceKey: key('hour', endsAt), title: `${title} ends within an hour`, path })
  if (votingEndsAt && pinnedAt && isWithin(computeGraceEnd(jam).getTime(), votingEndsAt))
    told.push({
      onceKey: `jam ${uid} voting`,
      title: `Voting has begun: ${title}`,
      path: jamPath(slug, 'rate'),
    })
  if (votingEndsAt && now >= votingEndsAt && !isLate(votingEndsAt))
    told.push({ onceKey: key('voting_end', votingEndsAt), title: `Voting has ended: ${title}`, path })
  if (publishedAt && now >= publishedAt && !isLate(publishedAt))
    told.push({
      onceKey: `jam ${uid} results`,
      title: `The results are out: ${title}`,
      path: jamPath(slug, 'results'),
    })
  return told
}
