import type { Config } from '../../config/config.ts'
import type { Db, Transaction } from '../../db/client.ts'
import { AppError } from '../../errors.ts'
import * as queries from './queries.ts'

interface Candidate {
  email: string
  emailVerified: boolean
  /** Named by the command line. */
  operator?: boolean | null | undefined
}

/** The only place that decides who is an operator. An unconfirmed address does not count. */
export function isOperator(
  { operators }: Pick<Config, 'operators'>,
  { email, emailVerified, operator }: Candidate,
): boolean {
  return emailVerified && (operator === true || operators.includes(email.toLowerCase()))
}

export interface NamedOperator {
  uid: string
  email: string
  username: string
  emailVerified: boolean
}

/** Operators named on the command line; OPERATORS may name others. */
export async function listNamedOperators(db: Db): Promise<NamedOperator[]> {
  return await queries.listOperators(db)
}

/** Whether anyone runs the store, also somebody who has not signed up yet. */
export async function hasOperator({ operators }: Pick<Config, 'operators'>, db: Db): Promise<boolean> {
  return operators.length > 0 || (await queries.listOperators(db)).length > 0
}

/**
 * For a new account whose owner has the secret that only the program printed. The address is confirmed
 * without a mail.
 */
export async function makeFirstOperator(tx: Transaction, email: string): Promise<NamedOperator> {
  const account = await queries.confirmOperator(tx, email.toLowerCase())
  if (!account) throw new AppError('not_found')
  return account
}

/** The recipients of mails to all operators: confirmed addresses of accounts that are not suspended. */
export async function listOperatorAddresses(
  { operators }: Pick<Config, 'operators'>,
  db: Db,
): Promise<string[]> {
  return await queries.listConfirmedAddresses(db, operators)
}

/** Returns the account; throws when there is none with this address, or nobody confirmed it. */
export async function setOperator(tx: Transaction, email: string, operator: boolean): Promise<NamedOperator> {
  const account = await queries.updateOperator(tx, email.toLowerCase(), operator)
  if (!account) {
    throw new AppError('not_found', {
      message: `No account has the address ${email}. Sign up with it first.`,
    })
  }
  if (operator && !account.emailVerified) {
    throw new AppError('email_not_verified', {
      message: `The address ${email} is not confirmed yet. Open the link in the mail sent to it, then try again.`,
    })
  }
  return account
}
