import { AppError } from '../errors.ts'
import type { Actor, WebsiteUser } from './actor.ts'

/** How long a password, a passkey or a code counts as a proof that the person is still there. */
export const CONFIRMED_MS = 15 * 60 * 1000
export const CONFIRM_PAGE = '/confirm'

export function isConfirmed({ confirmedAt }: Pick<WebsiteUser, 'confirmedAt'>): boolean {
  return confirmedAt !== null && Date.now() - confirmedAt.getTime() < CONFIRMED_MS
}

/** The only place that decides whether a session may do what a thief of it must not. Keys and tokens have scopes. */
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
