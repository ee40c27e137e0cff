import { MailFault, type MailMessage, signMail } from '../../../clients/mail/mail.ts'
import type { Deps } from '../../../deps.ts'
import { choiceOf, kindsChosen, type MailEnd } from '../../../domain/notice-mails.ts'
import { mailEndUrl } from '../../../domain/site-urls.ts'
import type { JobContext } from '../../../jobs/define.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { mailStore } from '../../mail/store.ts'
import { loadSettings } from '../../settings/service.ts'
import type { Notice } from '../notices/model.ts'
import { listNoticesOf } from '../notices/service.ts'
import { MAILS_PER_JOB, sendAtOnce, sendDigests } from './jobs.ts'
import * as queries from './mail-queries.ts'
import { atOnceMail, digestMail, type MailParts } from './mails.ts'
import { countBounce } from './settings.ts'
import { createMailToken } from './unsubscribe.ts'

/** Mails of one job that are sent at the same time. */
const SENT_AT_ONCE = 4
/** Events that one digest is made of; those beyond it are at /notices. */
export const DIGEST_EVENTS_MAX = 200
/** What happens within this time after a mail is told in the next one. */
export const AT_ONCE_PAUSE_S = 60
const WAITING_MAX = 1000
const FIRST_UID = '00000000-0000-0000-0000-000000000000'

type NoticeWindow = Parameters<typeof listNoticesOf>[1][number]
type Context = Pick<JobContext, 'log' | 'signal'>

/** What goes to one person: one digest, or events that are told at once. */
interface Letter {
  rows: readonly queries.PendingRow[]
  notices: readonly Notice[]
}

/** Sends what is still new and visible now. What is certainly not sent fails the job, which then sends only that. */
export async function sendDigestMails(deps: Deps, uids: readonly string[], context: Context): Promise<void> {
  const rows = await openLetters(deps, uids)
  const windows = rows.flatMap(({ mail: { userUid, from, until }, kinds }): NoticeWindow[] =>
    from && until
      ? [{ userUid, kinds: kindsChosen(kinds, 'digest'), since: from, until, unreadOnly: true }]
      : [],
  )
  const oldest = new Date(Math.min(...windows.map(({ since }) => since.getTime())))
  const users = windows.map(({ userUid }) => userUid)
  const [notices, told] = await Promise.all([
    listNoticesOf(deps, windows, DIGEST_EVENTS_MAX),
    windows.length === 0 ? [] : queries.listMailedAtOnce(deps.db, users, oldest),
  ])
  const known = new Set(told.map(({ userUid, eventUid }) => `${userUid} ${eventUid}`))
  const letters = rows.map((row): Letter => {
    const { userUid } = row.mail
    const own = notices.get(userUid) ?? []
    return { rows: [row], notices: own.filter(({ uid }) => !known.has(`${userUid} ${uid}`)) }
  })
  const left = await sendLetters(deps, letters, digestMail, context)
  if (left.length > 0) await enqueue(deps.db, sendDigests, { uids: left })
}

/** Sends all digests that wait, without their jobs. Returns how many were sent; the others are tried again by those. */
export async function sendWaitingDigests(deps: Deps, context: Context) {
  let [sent, failed] = [0, 0]
  for (let after = FIRST_UID; ;) {
    const uids = await queries.listWaitingDigests(deps.db, after, MAILS_PER_JOB)
    const last = uids.at(-1)
    if (last === undefined) return { sent, failed }
    after = last
    await sendDigestMails(deps, uids, context).catch(() => (failed += 1))
    sent += await queries.countSent(deps.db, uids)
  }
}

/**
 * Together with whatever else waits for the same people, so that a burst is one mail. Who had one a moment ago waits for
 * the next.
 */
export async function sendAtOnceMails(deps: Deps, uids: readonly string[], context: Context): Promise<void> {
  const waiting = await queries.listWaitingAtOnce(deps.db, uids, WAITING_MAX)
  const all = await openLetters(deps, waiting)
  const users = Array.from(new Set(all.map(({ mail }) => mail.userUid)))
  const paused = await queries.listJustMailed(deps.db, users, AT_ONCE_PAUSE_S)
  const later = all.filter(({ mail }) => paused.has(mail.userUid)).map(({ mail }) => mail.uid)
  if (later.length > 0) {
    const runAt = new Date(Date.now() + AT_ONCE_PAUSE_S * 1000)
    await enqueue(deps.db, sendAtOnce, { uids: later }, { runAt })
  }
  const rows = all.filter(({ mail }) => !paused.has(mail.userUid))
  const byUser = Map.groupBy(rows, ({ mail }) => mail.userUid)
  const notices = await listNoticesOf(deps, Array.from(byUser.values(), windowOf), WAITING_MAX)
  const letters = Array.from(byUser, ([userUid, own]): Letter => ({
    rows: own,
    notices: notices.get(userUid) ?? [],
  }))
  const left = await sendLetters(deps, letters, atOnceMail, context)
  if (left.length > 0) await enqueue(deps.db, sendAtOnce, { uids: left })
}

/** Leaves out, and forgets, what must not be mailed any more. */
async function openLetters({ db }: Deps, uids: readonly string[]): Promise<queries.PendingRow[]> {
  const rows = await queries.listPending(db, uids)
  const refused = rows.filter((row) => !isWanted(row))
  if (refused.length > 0) {
    await queries.dropMails(
      db,
      refused.map(({ mail }) => mail.uid),
    )
  }
  return rows.filter(isWanted)
}

function isWanted({ mayBeMailed, mail, event, kinds }: queries.PendingRow): boolean {
  if (!mayBeMailed) return false
  if (mail.until !== null) return kindsChosen(kinds, 'digest').length > 0
  return event !== null && choiceOf(kinds, event.kind) === 'at_once'
}

/** The notices between the first and the last event of these mails. */
function windowOf(rows: readonly queries.PendingRow[]): NoticeWindow {
  const events = rows.flatMap(({ event }) => event ?? [])
  const times = events.map(({ at }) => at.getTime())
  return {
    userUid: rows[0]?.mail.userUid ?? '',
    kinds: Array.from(new Set(events.map(({ kind }) => kind))),
    since: new Date(Math.min(...times) - 1),
    until: new Date(Math.max(...times)),
  }
}

/** Returns the mails that were not begun because the process stops. */
async function sendLetters(
  deps: Deps,
  letters: readonly Letter[],
  compose: (parts: MailParts) => MailMessage,
  { signal, log }: Context,
): Promise<string[]> {
  if (letters.length === 0) return []
  const settings = await loadSettings(deps, deps.db)
  const store = mailStore(deps.config.baseUrl, settings)
  const left: string[] = []
  const failures: unknown[] = []
  const waiting = letters.values()
  const work = async (): Promise<void> => {
    for (const letter of waiting) {
      if (signal.aborted) left.push(...letter.rows.map(({ mail }) => mail.uid))
      else {
        const sent = sendLetter(deps, letter, (parts) => signMail(compose(parts), store))
        await sent.catch((error: unknown) => void failures.push(error))
      }
    }
  }
  await Promise.all(Array.from({ length: SENT_AT_ONCE }, work))
  const [failure] = failures
  if (failure === undefined) return left
  log.warn('Mails about notices were not sent and are tried again', { mails: failures.length })
  // The next attempt of the job sends all that was not begun.
  throw failure
}

/** A mail is marked as begun before the server gets it: whoever is killed in between leaves it unsent for good. */
async function sendLetter(
  deps: Deps,
  { rows, notices }: Letter,
  compose: (parts: MailParts) => MailMessage,
): Promise<void> {
  const { db, config, keyring } = deps
  const uids = rows.map(({ mail }) => mail.uid)
  const [first] = rows
  if (!first) return
  if (pickOf(rows, notices).length === 0) return await queries.deleteMails(db, uids, first.mail.until)
  const begun = await queries.startMails(db, uids, first.mail.until)
  const own = rows.filter(({ mail }) => begun.has(mail.uid))
  const told = pickOf(own, notices)
  if (told.length === 0) return
  const { userUid, uid: messageId } = first.mail
  const endUrl = (end: MailEnd) => mailEndUrl(config.baseUrl, createMailToken(keyring, { userUid, end }))
  const to = { email: first.email, name: first.name }
  try {
    const mailer = await deps.mailer()
    const mail = compose({ to, baseUrl: config.baseUrl, notices: told, endUrl })
    await mailer.send({ ...mail, messageId })
  } catch (error) {
    const outcome = error instanceof MailFault ? error.outcome : 'not_sent'
    if (outcome === 'bounced') return await countBounce(deps, userUid)
    if (outcome === 'unknown') return
    await queries.resetMails(db, Array.from(begun))
    throw error
  }
  await queries.markSent(db, Array.from(begun))
  if (first.bounces > 0) await queries.clearBounces(db, userUid)
}

/** Digests tell all; other mails only their own events, or the notice that stands for several of them. */
function pickOf(rows: readonly queries.PendingRow[], notices: readonly Notice[]): readonly Notice[] {
  if (rows.some(({ mail }) => mail.until !== null)) return notices
  const events = new Set(rows.map(({ event }) => event?.uid))
  return notices.filter(({ uid }) => events.has(uid))
}
