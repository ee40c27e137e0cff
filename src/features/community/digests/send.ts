import type { MailStore } from '../../../clients/mail/mail-html.ts'
import { type Mailer, MailFault, signMail } from '../../../clients/mail/mail.ts'
import type { Deps } from '../../../deps.ts'
import { choiceOf, kindsChosen, type ToldNotice } from '../../../domain/notices.ts'
import { mailEndUrl } from '../../../domain/site-urls.ts'
import type { JobContext } from '../../../jobs/define.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { mailStore } from '../../mail/store.ts'
import { loadSettings } from '../../settings/service.ts'
import type { ReadNotice } from '../notices/model.ts'
import { listToldOf, loadEvents } from '../notices/service.ts'
import { MAILS_PER_JOB, sendAtOnce, sendDigests } from './jobs.ts'
import * as queries from './mail-queries.ts'
import { chooseNews, noticesMail } from './mails.ts'
import { countBounce } from './settings.ts'
import { createMailToken } from './unsubscribe.ts'

/** Mails of one job that are marked and sent at the same time. */
export const SENT_AT_ONCE = 8
/** Events that one digest is made of; those beyond it are at /notices. */
export const DIGEST_EVENTS_MAX = 200
/** What happens within this time after a mail is told in the next one. */
export const AT_ONCE_PAUSE_S = 60
const WAITING_MAX = 1000
const FIRST_UID = '00000000-0000-0000-0000-000000000000'

type NoticeWindow = Parameters<typeof listToldOf>[1][number]
type Context = Pick<JobContext, 'log' | 'signal'>

/** What goes to one person: one digest, or events that are told at once. */
interface Letter {
  rows: readonly queries.PendingRow[]
  /** Newest first. */
  told: readonly ToldNotice[]
}

const mailsOf = (letters: readonly Letter[]) => letters.flatMap(({ rows }) => rows.map(({ mail }) => mail))
const isDigest = (rows: Letter['rows']) => rows.some(({ mail }) => mail.until !== null)

/** Digests tell all; other mails only their own events, or the notice that stands for several of them. */
function keepRows({ rows, told }: Letter, isKept: (row: queries.PendingRow) => boolean): Letter {
  const kept = rows.filter(isKept)
  const events = new Set(kept.map(({ event }) => event?.uid))
  return { rows: kept, told: isDigest(kept) ? told : told.filter(({ uid }) => events.has(uid)) }
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
  const [told, mailed] = await Promise.all([
    listToldOf(deps.db, windows, DIGEST_EVENTS_MAX),
    windows.length === 0 ? [] : queries.listMailedAtOnce(deps.db, users, oldest),
  ])
  const known = new Set(mailed.map(({ userUid, eventUid }) => `${userUid} ${eventUid}`))
  const letters = rows.map((row): Letter => {
    const { userUid } = row.mail
    const own = told.get(userUid) ?? []
    return { rows: [row], told: own.filter(({ uid }) => !known.has(`${userUid} ${uid}`)) }
  })
  const left = await sendLetters(deps, letters, context)
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
  const told = await listToldOf(deps.db, Array.from(byUser.values(), windowOf), WAITING_MAX)
  const letters = Array.from(byUser, ([userUid, own]) =>
    keepRows({ rows: own, told: told.get(userUid) ?? [] }, () => true),
  )
  const left = await sendLetters(deps, letters, context)
  if (left.length > 0) await enqueue(deps.db, sendAtOnce, { uids: left })
}

/** Leaves out, and forgets, what must not be mailed any more. */
async function openLetters({ db }: Deps, uids: readonly string[]): Promise<queries.PendingRow[]> {
  const rows = await queries.listPending(db, uids)
  const refused = rows.filter((row) => !isWanted(row))
  await queries.deleteMails(
    db,
    refused.map(({ mail }) => mail),
  )
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

/** What all letters of one job share. */
interface Post {
  deps: Deps
  mailer: Mailer
  store: MailStore
  read: ReadNotice
}

/** Sends the letters, a few at a time. Returns the mails that were not begun because the process stops. */
async function sendLetters(
  deps: Deps,
  letters: readonly Letter[],
  { signal, log }: Context,
): Promise<string[]> {
  const { db, config } = deps
  await queries.deleteMails(db, mailsOf(letters.filter(({ told }) => told.length === 0)))
  const waiting = letters.filter(({ told }) => told.length > 0)
  if (waiting.length === 0) return []
  const shown = waiting.flatMap(({ told }) => chooseNews(told).groups.flat())
  const [read, settings, mailer] = await Promise.all([
    loadEvents(deps, shown),
    loadSettings(deps, db),
    deps.mailer(),
  ])
  const post = { deps, mailer, read, store: mailStore(config.baseUrl, settings) }
  const failures: unknown[] = []
  let sent: string[] = []
  while (waiting.length > 0 && !signal.aborted) {
    const next = waiting.splice(0, SENT_AT_ONCE)
    // A mail is marked before the server gets it: whoever is killed in between leaves it unsent for good.
    const [begun] = await Promise.all([queries.startMails(db, mailsOf(next)), queries.markSent(db, sent)])
    const own = next.map((letter) => keepRows(letter, ({ mail }) => begun.has(mail.uid)))
    const results = await Promise.allSettled(own.map(async (letter) => await sendLetter(post, letter)))
    const uidsOf = (isIt: (result: PromiseSettledResult<boolean>) => boolean) =>
      mailsOf(own.filter((_, index) => isIt(results[index] as (typeof results)[number]))).map(
        ({ uid }) => uid,
      )
    sent = uidsOf((result) => result.status === 'fulfilled' && result.value)
    await queries.resetMails(
      db,
      uidsOf(({ status }) => status === 'rejected'),
    )
    failures.push(...results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : [])))
  }
  await queries.markSent(db, sent)
  const [failure] = failures
  if (failure === undefined) return mailsOf(waiting).map(({ uid }) => uid)
  log.warn('Mails about notices were not sent and are tried again', { mails: failures.length })
  // The next attempt of the job sends all that was not begun.
  throw failure
}

/** Returns false when the mail will never be sent, and throws when it is to be tried again. */
async function sendLetter({ deps, mailer, store, read }: Post, { rows, told }: Letter): Promise<boolean> {
  const { db, config, keyring } = deps
  const [first] = rows
  if (!first || told.length === 0) return false
  const { userUid, uid: messageId } = first.mail
  const mail = noticesMail({
    to: { email: first.email, name: first.name },
    baseUrl: config.baseUrl,
    isDigest: isDigest(rows),
    news: chooseNews(told),
    read,
    endUrl: (end) => mailEndUrl(config.baseUrl, createMailToken(keyring, { userUid, end })),
  })
  if (!mail) return false
  try {
    await mailer.send({ ...signMail(mail, store), messageId })
  } catch (error) {
    const outcome = error instanceof MailFault ? error.outcome : 'not_sent'
    if (outcome === 'not_sent') throw error
    if (outcome === 'bounced') await countBounce(deps, userUid)
    return false
  }
  if (first.bounces > 0) await queries.clearBounces(db, userUid)
  return true
}
