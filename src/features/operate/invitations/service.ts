import type { WebsiteUser } from '../../../domain/actor.ts'
import { invalidField } from '../../../errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import type { Page, Paged } from '../../../lib/paging.ts'
import { isEmail } from '../../../lib/text/email.ts'
import { plural } from '../../../lib/text/plural.ts'
import {
  type InvitationFacts,
  inviteAddress,
  listInvitations as list,
  makeInvitations as make,
  revokeInvitation as revoke,
} from '../../accounts/invitations/service.ts'
import { sendMail } from '../../mail/jobs.ts'
import { recordAct } from '../audit/service.ts'
import type { Operate } from '../operate.ts'
import { accountInvitationMail } from './mails.ts'
import type { Invitation, InvitationsInput, NewInvitations } from './model.ts'

export async function listInvitations({ deps }: Operate, page: Page): Promise<Paged<Invitation>> {
  const { items, ...rest } = await list(deps.db, page)
  return { ...rest, items: items.map(toInvitation) }
}

/** The codes are in the answer and nowhere else. */
export async function makeInvitations(
  { deps }: Operate,
  operator: WebsiteUser,
  { count = 1, uses = 1, expires_at = null }: InvitationsInput,
): Promise<NewInvitations> {
  const expiresAt = expires_at === null ? null : new Date(expires_at)
  if (expiresAt && expiresAt.getTime() <= Date.now())
    throw invalidField('expires_at', 'must be in the future.')
  return await deps.db.transaction(async (tx) => {
    const made = await make(tx, operator.userUid, { count, uses, expiresAt })
    await recordAct(tx, operator, {
      act: 'make_invitations',
      subject: 'invitation',
      id: made[0]?.uid ?? null,
      name: made.map(({ hint }) => `${hint}…`).join(', '),
      reason: `${count} with ${plural(uses, 'use')} each, until ${expires_at ?? 'they are deleted'}`,
    })
    return { codes: made.map(({ code }) => code), invites: made.map(toInvitation) }
  })
}

export async function revokeInvitation({ deps }: Operate, operator: WebsiteUser, uid: string): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const { hint, email } = await revoke(tx, uid)
    const name = email ?? `${hint}…`
    await recordAct(tx, operator, { act: 'revoke_invitation', subject: 'invitation', id: uid, name })
  })
}

/** Mails an invitation for that address only; the person chooses name and password. */
export async function addAccount(
  { deps }: Operate,
  operator: WebsiteUser,
  email: string,
): Promise<Invitation> {
  const address = email.trim()
  if (!isEmail(address)) throw invalidField('email', 'must be an e-mail address.')
  return await deps.db.transaction(async (tx) => {
    const made = await inviteAddress(tx, operator.userUid, address)
    const link = `${deps.config.baseUrl}/sign-up?invite=${made.code}`
    await enqueue(tx, sendMail, accountInvitationMail(address, link))
    await recordAct(tx, operator, { act: 'add_account', subject: 'invitation', id: made.uid, name: address })
    return toInvitation(made)
  })
}

function toInvitation({ uid, hint, email, uses, used, expiresAt, createdAt }: InvitationFacts): Invitation {
  return {
    uid,
    hint,
    email,
    uses,
    used,
    expires_at: expiresAt?.toISOString() ?? null,
    created_at: createdAt.toISOString(),
  }
}
