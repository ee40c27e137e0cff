import { AGENT_SCOPES, PLAYER_SCOPES } from '../../../domain/actor.ts'

/** What others need to know of the account library; the library itself is loaded later, see `open-auth.ts`. */
export const AUTH_PATH = '/api/auth'
/** Our server writes the client's address into this header; a value sent by a client is overwritten. */
export const CLIENT_ADDRESS_HEADER = 'x-playshelf-client-address'
const COOKIE_PREFIX = 'playshelf'
/** In every name of the session's cookie. */
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
