import { isOutageError } from '../../../db/errors.ts'
import type { Deps } from '../../../deps.ts'
import { computeGraceEnd, type JamTimes } from '../../../domain/jams.ts'
import { jamPath } from '../../../domain/site-urls.ts'
import { DAY_MS } from '../../../lib/time.ts'
import { recordNotice } from '../../games/notice-events.ts'
import { lockJam } from '../shared-queries.ts'
import * as queries from './queries.ts'

const BATCH = 100
const FIRST_UID = '00000000-0000-0000-0000-000000000000'
/** A little longer than milestones are told. */
const RECENT_DAYS = 3

type Services = Pick<Deps, 'db' | 'log'>

/**
 * Records what is due and was not recorded. Each jam is looked at again in the transaction that records it, because its
 * times may have moved, and each milestone is recorded once, however many processes run this.
 */
export async function announceDue(deps: Services, signal: AbortSignal): Promise<void> {
  let afterUid = FIRST_UID
  while (!signal.aborted) {
    const active = await queries.listActive(deps.db, afterUid, RECENT_DAYS, BATCH)
    const keys = active.flatMap(({ jam, now }) => listMilestones(jam, now).map(({ onceKey }) => onceKey))
    const recorded = await queries.listRecorded(deps.db, keys)
    for (const { jam, now } of active) {
      if (signal.aborted) return
      const isNews = listMilestones(jam, now).some(({ onceKey }) => !recorded.has(onceKey))
      if (isNews) await announceJam(deps, jam.uid)
    }
    const last = active.at(-1)
    if (!last || active.length < BATCH) return
    afterUid = last.jam.uid
  }
}

async function announceJam({ db, log }: Services, uid: string): Promise<void> {
  try {
    await db.transaction(async (tx) => {
      const found = await lockJam(tx, uid, null, 'share')
      if (!found || found.jam.visibility === 'draft') return
      for (const { onceKey, ...facts } of listMilestones(found.jam, found.now))
        await recordNotice(tx, { kind: 'jam', jamUid: uid, facts, onceKey })
    })
  } catch (error) {
    if (isOutageError(error)) throw error
    log.error('The news of a jam could not be recorded', { jam: uid, error })
  }
}

const HOUR_MS = 60 * 60 * 1000
/** What is older is no longer told: the worker was away, or the jam was moved into the past. */
const TOLD_DAYS = 2

interface Announced extends JamTimes {
  uid: string
  slug: string
  title: string
  theme: string
  pinnedAt: Date | null
  publishedAt: Date | null
}

interface Milestone {
  /** The same for the same milestone of a jam, and another one once its time was moved. */
  onceKey: string
  title: string
  text?: string
  path: string
}

/** What those who joined are to be told at this time, whether they were already or not. */
function listMilestones(jam: Announced, now: Date): Milestone[] {
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
