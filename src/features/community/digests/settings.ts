import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { computeNextDigest, isTimeZone } from '../../../domain/digest-times.ts'
import {
  BOUNCES_MAX,
  choiceOf,
  endMails,
  kindsChosen,
  type MailChoices,
  type MailEnd,
  NOTICE_KINDS,
  withoutDefaults,
} from '../../../domain/notices.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { respond } from '../../../lib/respond.ts'
import { NoticeSettings, type NoticeSettingsPatch } from './model.ts'
import * as queries from './queries.ts'

type Services = Pick<Deps, 'db'>

/** What counts for an account without a row. */
const DEFAULTS = { kinds: {}, digest: 'weekly', hour: 18, timeZone: 'UTC', bounces: 0 } as const

export async function getNoticeSettings({ db }: Services, userUid: string): Promise<NoticeSettings> {
  const found = await queries.findSettings(db, userUid)
  if (!found) throw new AppError('unauthorized')
  const { settings, emailVerified } = found
  const chosen = settings ?? DEFAULTS
  const kinds: MailChoices = chosen.kinds
  return respond(
    NoticeSettings,
    { ...chosen, next_digest_at: null },
    {
      kinds: Object.fromEntries(
        NOTICE_KINDS.map((kind) => [kind, choiceOf(kinds, kind)]),
      ) as NoticeSettings['kinds'],
      next_digest_at: settings ? settings.nextDigestAt : nextDigest(chosen, null),
      stopped: !emailVerified ? 'unconfirmed' : chosen.bounces >= BOUNCES_MAX ? 'bounced' : null,
    },
  )
}

export async function updateNoticeSettings(
  deps: Services,
  userUid: string,
  { kinds = {}, digest, hour, time_zone: timeZone }: NoticeSettingsPatch,
): Promise<NoticeSettings> {
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    throw invalidField('time_zone', 'must be the name of a time zone, like Europe/Berlin or UTC.')
  }
  const change = { digest, hour, timeZone }
  await deps.db.transaction(async (tx) => {
    const row = await queries.lockSettings(tx, userUid)
    if (!row) throw new AppError('unauthorized')
    const chosen = withoutDefaults({ ...row.kinds, ...kinds })
    await saveSettings(tx, { ...row, ...definedOf(change), kinds: chosen })
  })
  return await getNoticeSettings(deps, userUid)
}

/** Of a link in a mail. Returns false when the account is gone. */
export async function endMailsOf({ db }: Services, userUid: string, end: MailEnd): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const row = await queries.lockSettings(tx, userUid)
    if (!row) return false
    await saveSettings(tx, { ...row, kinds: endMails(row.kinds, end) })
    return true
  })
}

/** The mail server refused the address for good. Only refusals in a row count. */
export async function countBounce({ db }: Services, userUid: string): Promise<void> {
  await db.transaction(async (tx) => {
    const row = await queries.lockSettings(tx, userUid)
    if (row) await saveSettings(tx, { ...row, bounces: row.bounces + 1 })
  })
}

/** The next digest follows from what was chosen. */
async function saveSettings(tx: Transaction, row: queries.SettingsRow): Promise<void> {
  const { userUid, kinds, digest, hour, timeZone, bounces } = row
  const nextDigestAt = nextDigest(row, await queries.findLastDigest(tx, userUid))
  await queries.updateSettings(tx, userUid, { kinds, digest, hour, timeZone, bounces, nextDigestAt })
}

/** Null if no kind is in a digest. */
export function nextDigest(
  {
    kinds,
    digest: rhythm,
    hour,
    timeZone,
  }: Pick<queries.SettingsRow, 'kinds' | 'digest' | 'hour' | 'timeZone'>,
  last: Date | null,
  now = new Date(),
): Date | null {
  if (kindsChosen(kinds, 'digest').length === 0) return null
  return computeNextDigest({ rhythm, hour, timeZone }, now, last)
}

function definedOf<Values extends object>(values: Values) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Values]?: Exclude<Values[Name], undefined>
  }
}
