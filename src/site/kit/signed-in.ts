import type { Anonymous, WebsiteUser } from '../../domain/actor.ts'
import { AppError } from '../../errors.ts'
import type { Browser } from '../../features/accounts/sign-in/website.ts'
import type { Visit } from '../../http/visit.ts'
import { parseClientAddress } from '../../lib/net/addresses.ts'
import { originalOf } from '../../lib/net/requests.ts'

export function requireUser(actor: Anonymous | WebsiteUser): WebsiteUser {
  if (actor.kind === 'user') return actor
  throw new AppError('unauthorized')
}

/** The path of the sign-in page, which leads back to this page afterwards. */
export function signInPath({ url }: Visit): string {
  return signInPathTo(url.pathname + url.search)
}

export function signInPathTo(next: string): string {
  return `/sign-in?next=${encodeURIComponent(next)}`
}

export interface Sockets {
  requestIP(request: Request): { address: string } | null
}

interface Sent {
  visit: Visit
  server: Sockets | null
}

export function browserOf({ visit: { request }, server }: Sent, trustProxy: number): Browser {
  const socketAddress = () => server?.requestIP(originalOf(request))?.address
  return {
    headers: request.headers,
    address: parseClientAddress(request.headers, socketAddress, trustProxy),
  }
}
