import type { WebsiteUser } from '../domain/actor.ts'
import { AppError } from '../errors.ts'
import type { Visit } from '../http/visit.ts'

/** For forms that require a signed-in user. */
export function requireUser({ actor }: Visit): WebsiteUser {
  if (actor.kind === 'user') return actor
  throw new AppError('unauthorized')
}
