import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { isSameDay } from '../../../domain/digest-times.ts'
import { kindsChosen } from '../../../domain/notices.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { DAY_MS } from '../../../lib/time.ts'
import { MAILS_PER_JOB, sendDigests } from './jobs.ts'
import * as queries from './mail-queries.ts'
import { nextDigest } from './settings.ts'

type Services = Pick<Deps, 'db'>

/** Accounts of one transaction. */
const BATCH = 200
/** What happened earlier is no news any more; it is still at /notices. */
const NEWS_DAYS = 31
const FIRST_USER = '00000000-0000-0000-0000-000000000000'

/** Records the digests that are due by the clock, with the jobs that send them. Returns how many. */
export async function recordDueDigests(deps: Services, signal: AbortSignal): Promise<number> {
  const until = await loadUntil(deps)
  let total = 0
  while (!signal.aborted) {
    const { seen, recorded } = await recordBatch(deps, { now: until }, until)
    total += recorded.length
    if (seen.length < BATCH) break
  }
  return total
}

/** The same for all accounts, whatever their hour; those who had one today are left out. */
export async function recordAllDigests(deps: Services): Promise<void> {
  await scheduleDigests(deps)
  const until = await loadUntil(deps)
  for (let afterUser = FIRST_USER; ;) {
    const { seen } = await recordBatch(deps, { afterUser }, until)
    const last = seen.at(-1)
    if (!last || seen.length < BATCH) return
    afterUser = last
  }
}

/** Up to when everything that was recorded can be read. */
async function loadUntil({ db }: Services): Promise<Date> {
  return await db.transaction(async (tx) => {
    await queries.lockEvents(tx)
    return await queries.loadNow(tx)
  })
}

/** Accounts that never changed a setting expect digests, too. */
export async function scheduleDigests({ db }: Services, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted) if ((await queries.insertMissingSettings(db, BATCH)) < BATCH) break
  while (!signal?.aborted) {
    const scheduled = await db.transaction(async (tx) => {
      const rows = await queries.lockUnscheduled(tx, BATCH)
      const next = rows.map((settings) => ({
        userUid: settings.userUid,
        nextDigestAt: nextDigest(settings, null)?.toISOString() ?? null,
        digestUntil: null,
      }))
      await queries.saveSchedule(tx, next)
      return rows.length
    })
    if (scheduled < BATCH) return
  }
}

/**
 * Each account is locked, so that two processes record a digest once; digest and job exist together or not at all. A digest
 * that still waits for the mail server becomes the new one.
 */
async function recordBatch({ db }: Services, due: queries.DueOf, until: Date) {
  return await db.transaction(async (tx) => {
    const rows = await queries.lockDue(tx, due, BATCH)
    const told = rows.filter((row) => expectsDigest(row, until))
    const toldUsers = new Set(told.map(({ settings }) => settings.userUid))
    await queries.saveSchedule(
      tx,
      rows.map(({ settings, lastDigest }) => {
        const isTold = toldUsers.has(settings.userUid)
        const next = nextDigest(settings, isTold ? until : lastDigest, until)
        return {
          userUid: settings.userUid,
          nextDigestAt: next?.toISOString() ?? null,
          digestUntil: isTold ? until.toISOString() : null,
        }
      }),
    )
    const waiting = told.flatMap(({ waitingUid }) => waitingUid ?? [])
    await queries.extendDigests(tx, waiting, until)
    const added = await queries.insertDigests(
      tx,
      told
        .filter(({ waitingUid }) => waitingUid === null)
        .map(({ settings: { userUid, digestUntil } }) => ({
          userUid,
          from: newsSince(digestUntil, until),
          until,
        })),
    )
    const recorded = [...waiting, ...added]
    await enqueueSending(tx, recorded)
    return { seen: rows.map(({ settings }) => settings.userUid), recorded }
  })
}

function expectsDigest({ settings, mayBeMailed, lastDigest }: queries.DueRow, now: Date): boolean {
  if (!mayBeMailed || kindsChosen(settings.kinds, 'digest').length === 0) return false
  return lastDigest === null || !isSameDay(lastDigest, now, settings.timeZone)
}

function newsSince(digestUntil: Date | null, until: Date): Date {
  return new Date(Math.max(digestUntil?.getTime() ?? 0, until.getTime() - NEWS_DAYS * DAY_MS))
}

async function enqueueSending(tx: Transaction, mails: readonly string[]): Promise<void> {
  for (let at = 0; at < mails.length; at += MAILS_PER_JOB) {
    await enqueue(tx, sendDigests, { uids: mails.slice(at, at + MAILS_PER_JOB) })
  }
}
