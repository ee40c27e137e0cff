import { AppError } from '../errors.ts'
import type { Actor, WebsiteUser } from './actor.ts'

/** How long a confirmation with a password, a passkey or a code is valid. */
export const CONFIRMED_MS = 15 * 60 * 1000
export const CONFIRM_PAGE = '/confirm'

export function isConfirmed({ confirmedAt }: Pick<WebsiteUser, 'confirmedAt'>): boolean {
  return confirmedAt !== null && Date.now() - confirmedAt.getTime() < CONFIRMED_MS
}

/** Requires a recent confirmation of a session before a dangerous act. Keys and tokens are limited by scopes instead. */
export function requireConfirmed(
  actor: Actor | Pick<WebsiteUser, 'kind' | 'confirmedAt'>,
  baseUrl: string,
): void {
  if (actor.kind !== 'user' || isConfirmed(actor)) return
  throw new AppError('confirmation_needed', { data: { confirm_url: baseUrl + CONFIRM_PAGE } })
}

/** Where a second factor is set up. */
export function secondFactorNeeded(baseUrl: string): AppError {
  return new AppError('second_factor_needed', { data: { setup_url: `${baseUrl}/account` } })
}

/** Who must have a second factor: nobody, those who run the store, or everyone who publishes too. */
export const SECOND_FACTOR_POLICIES = ['optional', 'operators', 'publishers'] as const
export type SecondFactorPolicy = (typeof SECOND_FACTOR_POLICIES)[number]

/** Whether the account must add a second factor. The only place that decides it. */
export function lacksFactor(
  policy: SecondFactorPolicy,
  { hasSecondFactor, isOperator }: Pick<WebsiteUser, 'hasSecondFactor' | 'isOperator'>,
): boolean {
  if (hasSecondFactor) return false
  return policy === 'publishers' || (policy === 'operators' && isOperator)
}
