import { composeMail, type MailMessage, STORE_NAME } from '../../../clients/mail/mail.ts'
import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { toPerson, type WebsiteUser } from '../../../domain/actor.ts'
import type { OperatorAct } from '../../../domain/operator-acts.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { isUid } from '../../../lib/ids.ts'
import { mapPage, type Page, type Paged } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import { isEmail } from '../../../lib/text/names.ts'
import { formatBytes, plural } from '../../../lib/text/show.ts'
import { forgetAccount } from '../../accounts/account-cache.ts'
import { resetFactors } from '../../accounts/factors/factors.ts'
import {
  createInvitations as make,
  type InvitationFacts,
  inviteAddress,
  listInvitations as list,
  revokeInvitation as revoke,
} from '../../accounts/invitations/service.ts'
import {
  isOperator,
  listNamedOperators,
  type NamedOperator,
  setOperator as storeOperator,
} from '../../accounts/operators.ts'
import { clearProfile } from '../../accounts/profile/service.ts'
import { endSuspension, suspendAccount } from '../../accounts/suspension.ts'
import { recordAct } from '../../audit/service.ts'
import { endUploadsOfOwner } from '../../builds/uploads/state.ts'
import { sendMail } from '../../mail/jobs.ts'
import {
  Invitation,
  type InvitationsInput,
  type NewInvitations,
  OperatorAccount,
  type StorageLimitInput,
} from './model.ts'
import * as queries from './queries.ts'

export async function listAccounts(
  deps: Deps,
  search: queries.AccountSearch,
  page: Page,
): Promise<Paged<OperatorAccount>> {
  return mapPage(await queries.listUsers(deps.db, search, page), (row) => toAccount(deps, row))
}

export async function getAccount(deps: Deps, uid: string): Promise<OperatorAccount> {
  const row = isUid(uid) ? await queries.findUser(deps.db, uid) : undefined
  if (!row) throw new AppError('not_found')
  return toAccount(deps, row)
}

/** Ends sessions and running uploads, and stops keys and tokens, at once. Published pages stay. */
export async function suspend(
  deps: Deps,
  operator: WebsiteUser,
  uid: string,
  reason: string | null,
): Promise<OperatorAccount> {
  if (uid === operator.userUid) {
    throw new AppError('taken', { message: 'This is your own account. Ask another operator.' })
  }
  return await change(deps, operator, uid, 'suspend_account', reason, async (tx, account) => {
    await suspendAccount(deps, tx, account, reason)
    await endUploadsOfOwner(tx, uid)
  })
}

export async function restore(
  deps: Deps,
  operator: WebsiteUser,
  uid: string,
  reason: string | null,
): Promise<OperatorAccount> {
  const signInUrl = `${deps.config.baseUrl}/sign-in`
  return await change(deps, operator, uid, 'restore_account', reason, (tx, account) =>
    endSuspension(deps, tx, account, signInUrl),
  )
}

/** For people who lost their devices. Operators cannot reset their own, so a stolen session cannot either. */
export async function resetSignIn(
  deps: Deps,
  operator: WebsiteUser,
  uid: string,
  reason: string,
): Promise<OperatorAccount> {
  if (uid === operator.userUid) {
    throw new AppError('taken', { message: 'This is your own account. Ask another operator.' })
  }
  return await change(deps, operator, uid, 'reset_factors', reason, (tx, account) =>
    resetFactors(deps, tx, account, reason),
  )
}

/** For names, pictures and texts that the store does not want. */
export async function clearProfileOf(
  deps: Deps,
  operator: WebsiteUser,
  uid: string,
  reason: string,
): Promise<OperatorAccount> {
  return await change(deps, operator, uid, 'clear_profile', reason, (tx) => clearProfile(deps, tx, uid))
}

/** Null restores the limit that every account has by default. */
export async function setStorageLimit(
  deps: Deps,
  operator: WebsiteUser,
  uid: string,
  { limit, reason }: StorageLimitInput,
): Promise<OperatorAccount> {
  const size = limit === null ? 'the limit of every account' : formatBytes(limit)
  const note = [size, reason?.trim()].filter(Boolean).join(': ')
  return await change(deps, operator, uid, 'set_storage_limit', note, (tx) =>
    queries.storeLimit(tx, uid, limit),
  )
}

async function change(
  deps: Deps,
  operator: WebsiteUser,
  uid: string,
  act: OperatorAct,
  reason: string | null,
  work: (tx: Transaction, account: { uid: string; email: string }) => Promise<void>,
): Promise<OperatorAccount> {
  return await deps.db.transaction(async (tx) => {
    await requireActing(tx, operator)
    const found = isUid(uid) ? await queries.findUser(tx, uid) : undefined
    if (!found) throw new AppError('not_found')
    const { email, username } = found.user
    await work(tx, { uid, email })
    await recordAct(tx, operator, { act, subject: 'account', id: uid, name: username, reason })
    const changed = await queries.findUser(tx, uid)
    if (!changed) throw new AppError('not_found')
    return toAccount(deps, changed)
  })
}

/** Serialises acts on accounts: if two operators suspend each other at once, only the first succeeds. */
async function requireActing(tx: Transaction, { userUid }: WebsiteUser): Promise<void> {
  await queries.lockActs(tx)
  const own = await queries.findUser(tx, userUid)
  if (own && !own.user.suspendedAt) return
  throw new AppError('forbidden', { message: 'Your account was suspended by another operator.' })
}

function toAccount(
  { config }: Deps,
  { user, person, listings, hasProfile }: queries.AccountRow,
): OperatorAccount {
  return respond(OperatorAccount, user, {
    uid: user.id,
    ...toPerson(config.baseUrl, person),
    has_profile: hasProfile,
    operator: isOperator(config, user),
    second_factor: user.twoFactorEnabled,
    suspended: user.suspendedAt && { at: user.suspendedAt.toISOString(), reason: user.suspendedReason },
    listings,
  })
}

/** For the command line. */
export async function setOperator(deps: Deps, email: string, operator: boolean): Promise<NamedOperator> {
  return await deps.db.transaction(async (tx) => {
    const account = await storeOperator(tx, email, operator)
    await forgetAccount(deps, tx, account.uid)
    const act = operator ? 'add_operator' : 'remove_operator'
    await recordAct(tx, null, { act, subject: 'account', id: account.uid, name: account.username })
    return account
  })
}

/** The addresses of all operators, and where each is named. */
export async function listOperators({ db, config }: Deps): Promise<{ email: string; by: string }[]> {
  const named = await listNamedOperators(db)
  return [
    ...config.operators.map((email) => ({ email, by: 'OPERATORS' })),
    ...named.map(({ email }) => ({ email, by: 'playshelf operator' })),
  ]
}

export async function listInvitations(deps: Deps, page: Page): Promise<Paged<Invitation>> {
  return mapPage(await list(deps.db, page), toInvitation)
}

/** Only this response contains the codes; the store does not keep them. */
export async function makeInvitations(
  deps: Deps,
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

export async function revokeInvitation(deps: Deps, operator: WebsiteUser, uid: string): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const { hint, email } = await revoke(tx, uid)
    const name = email ?? `${hint}…`
    await recordAct(tx, operator, { act: 'revoke_invitation', subject: 'invitation', id: uid, name })
  })
}

/** Mails an invitation for that address only; the person chooses name and password. */
export async function addAccount(deps: Deps, operator: WebsiteUser, email: string): Promise<Invitation> {
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

const toInvitation = (facts: InvitationFacts) => respond(Invitation, facts)

function accountInvitationMail(email: string, link: string): MailMessage {
  return composeMail(
    { email },
    `Your account at ${STORE_NAME}`,
    [
      `The people who run ${STORE_NAME} made room for your account. Open this link, and choose a name and a password:`,
      link,
      'The link works once, for this address, for two weeks. If you did not expect it, ignore this mail.',
    ],
    { label: 'Make your account', url: link },
  )
}
