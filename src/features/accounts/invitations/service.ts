import type { Db, Transaction } from '../../../db/client.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import type { Page, Paged } from '../../../lib/paging.ts'
import { DAY_MS } from '../../../lib/time.ts'
import { createTypedCode, hashTypedCode } from '../factors/codes.ts'
import { isEmailTaken, lockName } from '../queries.ts'
import * as queries from './queries.ts'

/** The limit of the whole store; only invitations that can still be used count. */
const INVITATIONS_MAX = 10_000
const MAILED_DAYS = 14
const HINT_LENGTH = 4

export interface InvitationFacts {
  uid: string
  hint: string
  email: string | null
  uses: number
  used: number
  expiresAt: Date | null
  createdAt: Date
}

interface NewInvitation extends InvitationFacts {
  /** Cannot be read later. */
  code: string
}

interface InvitationRequest {
  count: number
  uses: number
  expiresAt: Date | null
  email?: string
}

export async function createInvitations(
  tx: Transaction,
  createdBy: string | null,
  wanted: InvitationRequest,
): Promise<NewInvitation[]> {
  const { count, uses, expiresAt, email = null } = wanted
  await lockName(tx, 'invitations', '')
  if ((await queries.countOpenInvitations(tx, new Date())) + count > INVITATIONS_MAX) {
    throw new AppError('taken', {
      message: `There are ${INVITATIONS_MAX} invitations that nobody used yet. Delete some first.`,
    })
  }
  const codes = Array.from({ length: count }, createTypedCode)
  const rows = await queries.insertInvitations(
    tx,
    codes.map((code) => ({
      codeHash: hashTypedCode(code),
      hint: code.slice(0, HINT_LENGTH),
      uses,
      expiresAt,
      email,
      createdBy,
    })),
  )
  return rows.map((row, index) => ({ ...row, code: codes[index] ?? '' }))
}

/** An invitation for one address, which is also valid where sign-up is closed. */
export async function inviteAddress(
  tx: Transaction,
  createdBy: string,
  email: string,
): Promise<NewInvitation> {
  const address = email.toLowerCase()
  if (await isEmailTaken(tx, address))
    throw new AppError('taken', { message: 'There is an account with this address already.' })
  const expiresAt = new Date(Date.now() + MAILED_DAYS * DAY_MS)
  const [made] = await createInvitations(tx, createdBy, { count: 1, uses: 1, expiresAt, email: address })
  if (!made) throw new Error('The invitation was not stored')
  return made
}

/** The newest first. */
export async function listInvitations(db: Db, page: Page): Promise<Paged<InvitationFacts>> {
  return await queries.listInvitations(db, page)
}

export async function revokeInvitation(tx: Transaction, uid: string): Promise<InvitationFacts> {
  const row = isUid(uid) ? await queries.deleteInvitation(tx, uid) : undefined
  if (!row) throw new AppError('not_found')
  return row
}
