import type { Db, Transaction } from '../../../db/client.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import { DAY_MS } from '../../../lib/utc-days.ts'
import { isEmailTaken, lockName } from '../queries.ts'
import { createInvitationCode } from './codes.ts'
import * as queries from './queries.ts'

/** In all, those that can still be used. */
export const INVITATIONS_MAX = 10_000
const MAILED_DAYS = 14

export interface InvitationFacts {
  uid: string
  hint: string
  email: string | null
  uses: number
  used: number
  expiresAt: Date | null
  createdAt: Date
}

export interface NewInvitation extends InvitationFacts {
  /** Cannot be read later. */
  code: string
}

interface Wanted {
  count: number
  uses: number
  expiresAt: Date | null
  email?: string
}

export async function makeInvitations(
  tx: Transaction,
  createdBy: string | null,
  wanted: Wanted,
): Promise<NewInvitation[]> {
  const { count, uses, expiresAt, email = null } = wanted
  await lockName(tx, 'invitations', '')
  if ((await queries.countOpenInvitations(tx, new Date())) + count > INVITATIONS_MAX) {
    throw new AppError('taken', {
      message: `There are ${INVITATIONS_MAX} invitations that nobody used yet. Delete some first.`,
    })
  }
  const codes = Array.from({ length: count }, createInvitationCode)
  const rows = await queries.insertInvitations(
    tx,
    codes.map(({ hash: codeHash, hint }) => ({ codeHash, hint, uses, expiresAt, email, createdBy })),
  )
  return rows.map((row, index) => ({ ...row, code: codes[index]?.code ?? '' }))
}

/** An invitation for one address, which also counts where sign-up is closed. */
export async function inviteAddress(
  tx: Transaction,
  createdBy: string,
  email: string,
): Promise<NewInvitation> {
  const address = email.toLowerCase()
  if (await isEmailTaken(tx, address))
    throw new AppError('taken', { message: 'There is an account with this address already.' })
  const expiresAt = new Date(Date.now() + MAILED_DAYS * DAY_MS)
  const [made] = await makeInvitations(tx, createdBy, { count: 1, uses: 1, expiresAt, email: address })
  if (!made) throw new Error('The invitation was not stored')
  return made
}

/** The newest first. */
export async function listInvitations(db: Db, page: Page): Promise<Paged<InvitationFacts>> {
  const [rows, total] = await Promise.all([queries.listInvitations(db, page), queries.countInvitations(db)])
  return paged(page, rows, total)
}

export async function revokeInvitation(tx: Transaction, uid: string): Promise<InvitationFacts> {
  const row = isUid(uid) ? await queries.deleteInvitation(tx, uid) : undefined
  if (!row) throw new AppError('not_found')
  return row
}
