import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import {
  JAM_CODE_DAYS_MAX,
  JAM_CODE_LABEL_MAX,
  JAM_CODES_MAX,
  LATE_LINK_DAYS_MAX,
  LATE_LINKS_MAX,
} from '../../../domain/jams.ts'
import { lateLinkPath } from '../../../domain/site-urls.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { mapPage, type Page, type Paged } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import { describeName, parseName } from '../../../lib/text/names.ts'
import { DAY_MS } from '../../../lib/time.ts'
import { createTypedCode, hashTypedCode } from '../../accounts/factors/codes.ts'
import { jamClosed, lockManagedJam, openManagedJam, recordHostAct, tellTime } from '../access.ts'
import { JamCode, type JamCodeInput, type LateLinkInput, NewJamCode, NewLateLink } from './model.ts'
import * as queries from './queries.ts'

const HINT_LENGTH = 4

/** Codes that admit to a jam, or late links; for its hosts, newest first. */
export async function listCodes(
  { db }: Pick<Deps, 'db'>,
  user: WebsiteUser,
  ref: string,
  isLate: boolean,
  page: Page,
): Promise<Paged<JamCode>> {
  const { jam } = await openManagedJam(db, user, ref)
  return mapPage(await queries.pageCodes(db, jam.uid, isLate, page), (row) => respond(JamCode, row))
}

export async function createCode(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  { label, uses = 1, expires_at }: JamCodeInput,
): Promise<NewJamCode> {
  return await deps.db.transaction(async (tx) => {
    const { jam, now } = await lockManagedJam(deps, tx, user, ref)
    const wanted = {
      jamUid: jam.uid,
      late: false,
      label: parseLabel(label),
      uses,
      expiresAt: parseExpiry(expires_at, now, JAM_CODE_DAYS_MAX, JAM_CODE_DAYS_MAX),
    }
    const { row, code } = await insert(tx, user, wanted, JAM_CODES_MAX)
    await recordHostAct(tx, user, jam, { text: `Made the code ${row.hint}… for ${uses} people.` })
    return respond(NewJamCode, row, { code })
  })
}

/** Admits one entry of one person after the end. Whoever joined or not: the link is enough. */
export async function createLateLink(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  { label, expires_at }: LateLinkInput,
): Promise<NewLateLink> {
  return await deps.db.transaction(async (tx) => {
    const { jam, now, state } = await lockManagedJam(deps, tx, user, ref)
    const isTooLate = jam.votingEndsAt !== null && now >= jam.votingEndsAt
    if (state === 'coming' || isTooLate) throw jamClosed(jam, 'submit', now)
    const wanted = {
      jamUid: jam.uid,
      late: true,
      label: parseLabel(label),
      uses: 1,
      expiresAt: parseExpiry(expires_at, now, 1, LATE_LINK_DAYS_MAX),
    }
    const { row, code } = await insert(tx, user, wanted, LATE_LINKS_MAX)
    const listed = `The hosts gave one person a late link, which works until ${tellTime(row.expiresAt)}.`
    await recordHostAct(tx, user, jam, { listed })
    return respond(NewLateLink, row, { code, url: deps.config.baseUrl + lateLinkPath(jam.slug, code) })
  })
}

/** Whoever it admitted stays. */
export async function endCode(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  isLate: boolean,
  uid: string,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const { jam } = await lockManagedJam(deps, tx, user, ref)
    const row = isUid(uid) ? await queries.deleteCode(tx, jam.uid, isLate, uid) : undefined
    if (!row) throw new AppError('not_found')
    const what = `${isLate ? 'late link' : 'code'} ${row.hint}…`
    const isOpen = row.used < row.uses
    if (isLate && isOpen) await recordHostAct(tx, user, jam, { listed: 'The hosts ended a late link.' })
    else await recordHostAct(tx, user, jam, { text: `Ended the ${what}` })
  })
}

/** Takes one use; throws the same for every code that does not work. */
export async function useCode(
  tx: Transaction,
  jamUid: string,
  userUid: string,
  code: string,
  { isLate }: { isLate: boolean },
): Promise<void> {
  const isTaken = await queries.takeCode(tx, jamUid, isLate, hashTypedCode(code), userUid)
  if (!isTaken) throw new AppError('code_invalid')
}

type NewCode = Pick<queries.CodeRow, 'jamUid' | 'late' | 'label' | 'uses' | 'expiresAt'>

/** Needs the lock of the jam, which serialises counting. */
async function insert(tx: Transaction, { userUid }: WebsiteUser, wanted: NewCode, max: number) {
  const { jamUid, late } = wanted
  await queries.deleteUnusedCodes(tx, jamUid)
  if ((await queries.countOpenCodes(tx, jamUid, late)) >= max) {
    const what = late ? 'late links' : 'codes'
    throw new AppError('taken', { message: `There are ${max} ${what} that still work. End some first.` })
  }
  const code = createTypedCode()
  const row = await queries.insertCode(tx, {
    ...wanted,
    codeHash: hashTypedCode(code),
    hint: code.slice(0, HINT_LENGTH),
    createdBy: userUid,
  })
  return { row, code }
}

function parseLabel(sent: string | undefined): string {
  if (sent === undefined || sent.trim() === '') return ''
  const label = parseName(sent, JAM_CODE_LABEL_MAX)
  if (label === null) throw invalidField('label', `must be ${describeName(JAM_CODE_LABEL_MAX)}.`)
  return label
}

function parseExpiry(sent: string | undefined, now: Date, standard: number, max: number): Date {
  const inDays = (days: number) => new Date(now.getTime() + days * DAY_MS)
  if (sent === undefined) return inDays(standard)
  const time = new Date(sent)
  // False for what is no date, too.
  if (time > now && time <= inDays(max)) return time
  throw invalidField('expires_at', `must be in the future, at most ${max} days ahead.`)
}
