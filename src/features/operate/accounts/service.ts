import type { Transaction } from '../../../db/client.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import type { OperatorAct } from '../../../domain/operator-acts.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import { formatBytes } from '../../../lib/text/byte-sizes.ts'
import { resetFactors } from '../../accounts/factors/reset-factors.ts'
import { isOperator } from '../../accounts/operators.ts'
import { endSuspension, suspendAccount } from '../../accounts/suspension.ts'
import { endUploadsOfOwner } from '../../builds/uploads/in-flight.ts'
import { recordAct } from '../audit/service.ts'
import type { Operate } from '../operate.ts'
import type { OperatorAccount, StorageLimitInput } from './model.ts'
import * as queries from './queries.ts'

export async function listAccounts(
  operate: Operate,
  search: queries.AccountSearch,
  page: Page,
): Promise<Paged<OperatorAccount>> {
  const { db } = operate.deps
  const [rows, total] = await Promise.all([
    queries.listUsers(db, search, page),
    queries.countUsers(db, search),
  ])
  const items = rows.map((row) => toAccount(operate, row))
  return paged(page, items, total)
}

export async function getAccount(operate: Operate, uid: string): Promise<OperatorAccount> {
  const row = isUid(uid) ? await queries.findUser(operate.deps.db, uid) : undefined
  if (!row) throw new AppError('not_found')
  return toAccount(operate, row)
}

/** Ends sessions and running uploads, and stops keys and tokens, at once. Published pages stay. */
export async function suspend(
  operate: Operate,
  operator: WebsiteUser,
  uid: string,
  reason: string | null,
): Promise<OperatorAccount> {
  if (uid === operator.userUid) {
    throw new AppError('taken', { message: 'This is your own account. Ask another operator.' })
  }
  return await change(operate, operator, uid, 'suspend_account', reason, async (tx, account) => {
    await suspendAccount(operate.deps, tx, account, reason)
    await endUploadsOfOwner(tx, uid)
  })
}

export async function restore(
  operate: Operate,
  operator: WebsiteUser,
  uid: string,
  reason: string | null,
): Promise<OperatorAccount> {
  const signInUrl = `${operate.deps.config.baseUrl}/sign-in`
  return await change(operate, operator, uid, 'restore_account', reason, (tx, account) =>
    endSuspension(operate.deps, tx, account, signInUrl),
  )
}

/** For somebody who lost their devices. Who runs the store asks another operator: one alone could take it over. */
export async function resetSignIn(
  operate: Operate,
  operator: WebsiteUser,
  uid: string,
  reason: string,
): Promise<OperatorAccount> {
  if (uid === operator.userUid) {
    throw new AppError('taken', { message: 'This is your own account. Ask another operator.' })
  }
  return await change(operate, operator, uid, 'reset_factors', reason, (tx, account) =>
    resetFactors(operate.deps, tx, account, reason),
  )
}

/** Null: the limit of every account. */
export async function setStorageLimit(
  operate: Operate,
  operator: WebsiteUser,
  uid: string,
  { limit, reason }: StorageLimitInput,
): Promise<OperatorAccount> {
  const size = limit === null ? 'the limit of every account' : formatBytes(limit)
  const note = [size, reason?.trim()].filter(Boolean).join(': ')
  return await change(operate, operator, uid, 'set_storage_limit', note, (tx) =>
    queries.storeLimit(tx, uid, limit),
  )
}

async function change(
  operate: Operate,
  operator: WebsiteUser,
  uid: string,
  act: OperatorAct,
  reason: string | null,
  work: (tx: Transaction, account: { uid: string; email: string }) => Promise<void>,
): Promise<OperatorAccount> {
  return await operate.deps.db.transaction(async (tx) => {
    await requireActing(tx, operator)
    const found = isUid(uid) ? await queries.findUser(tx, uid) : undefined
    if (!found) throw new AppError('not_found')
    const { email, username } = found.user
    await work(tx, { uid, email })
    await recordAct(tx, operator, { act, subject: 'account', id: uid, name: username, reason })
    const changed = await queries.findUser(tx, uid)
    if (!changed) throw new AppError('not_found')
    return toAccount(operate, changed)
  })
}

/** One act on an account after the other: of two operators who suspend each other, the second cannot any more. */
async function requireActing(tx: Transaction, { userUid }: WebsiteUser): Promise<void> {
  await queries.lockActs(tx)
  const own = await queries.findUser(tx, userUid)
  if (own && !own.user.suspendedAt) return
  throw new AppError('forbidden', { message: 'Your account was suspended by another operator.' })
}

function toAccount({ deps }: Operate, { user, listings }: queries.AccountRow): OperatorAccount {
  return {
    uid: user.id,
    username: user.username,
    name: user.name,
    email: user.email,
    email_verified: user.emailVerified,
    operator: isOperator(deps.config, user),
    second_factor: user.twoFactorEnabled,
    suspended: user.suspendedAt && { at: user.suspendedAt.toISOString(), reason: user.suspendedReason },
    listings,
    storage_limit: user.storageLimit,
    created_at: user.createdAt.toISOString(),
  }
}
