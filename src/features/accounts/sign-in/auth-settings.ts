import { AGENT_SCOPES, PLAYER_SCOPES } from '../../../domain/actor.ts'

/** What others need to know of the account library; the library itself is loaded later, see `open-auth.ts`. */
export const AUTH_PATH = '/api/auth'
/** Our server writes the client's address into this header; a value sent by a client is overwritten. */
export const CLIENT_ADDRESS_HEADER = 'x-playshelf-client-address'
const COOKIE_PREFIX = 'playshelf'
/** Part of the session cookie's name, whatever its prefix. */
export const SESSION_COOKIE = `${COOKIE_PREFIX}.session_token=`

/** Over https, browsers take cookies of this prefix from the store's own host only: no game below it can set them. */
export function cookiePrefix(https: boolean): string {
  return https ? `__Host-${COOKIE_PREFIX}` : COOKIE_PREFIX
}

export const OAUTH_SCOPES = [...PLAYER_SCOPES, ...AGENT_SCOPES, 'offline_access']

export const PASSWORD_MIN = 10
export const PASSWORD_MAX = 256

/** The audiences of access tokens: the API itself and the MCP endpoint. */
export function tokenAudiences(baseUrl: string): string[] {
  return [baseUrl, toolsAudience(baseUrl)]
}

export function toolsAudience(baseUrl: string): string {
  return `${baseUrl}/mcp`
}

/** The cookie that carries the code through the sign-in of a provider. */
export const INVITATION_COOKIE = 'playshelf.invitation'

/** The codes by which the account library refuses a new account. */
export const INVITATION_NEEDED = 'INVITATION_NEEDED'
export const SIGN_UP_CLOSED = 'SIGN_UP_CLOSED'
