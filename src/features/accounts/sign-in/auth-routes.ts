import type { Deps } from '../../../deps.ts'
import type { LimitName } from '../../../domain/limit-table.ts'
import { AppError, nulRefused } from '../../../errors.ts'
import {
  bodyTooDeep,
  bodyTooLarge,
  bodyTooWide,
  FORM_TYPE,
  isJsonType,
  JSON_BODY_LIMIT,
  mediaTypeOf,
  readText,
} from '../../../http/input/body.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { JSON_DEPTH_MAX, measureJson } from '../../../lib/json.ts'
import { parseClientAddress } from '../../../lib/net/addresses.ts'
import { AUTH_PATH, CLIENT_ADDRESS_HEADER, OAUTH_SCOPES } from './auth-settings.ts'
import { askLibrary } from './library-faults.ts'
import type { OpenAuth } from './open-auth.ts'

const hidden = { hide: true }
/** Enough for the longest field: a token or the keys of a client. */
const BODY_MAX = 64 * 1024
const PARTS_MAX = 1000

/**
 * The routes of the account library that answer at `/api/auth`; all others are 404. Every
 * plugin and version of the library adds routes that our rules do not cover.
 */
export const LIBRARY_ROUTES = [
  'POST /sign-up/email',
  'POST /sign-in/email',
  'POST /sign-in/social',
  'POST /sign-out',
  'GET /callback/:id',
  'POST /link-social',
  'GET /get-session',
  'GET /list-sessions',
  'POST /revoke-session',
  'POST /revoke-other-sessions',
  'POST /update-user',
  'POST /change-email',
  'POST /send-verification-email',
  'POST /verify-email',
  'POST /change-password',
  'POST /request-password-reset',
  'GET /reset-password/:token',
  'POST /reset-password',
  'POST /two-factor/verify-totp',
  'POST /two-factor/verify-backup-code',
  'GET /passkey/generate-register-options',
  'POST /passkey/verify-registration',
  'GET /passkey/generate-authenticate-options',
  'POST /passkey/verify-authentication',
  'GET /jwks',
  'GET /oauth2/authorize',
  'POST /oauth2/authorize',
  'POST /oauth2/consent',
  'POST /oauth2/token',
  'POST /oauth2/introspect',
  'POST /oauth2/revoke',
  'POST /oauth2/register',
] as const

const PATTERNS = LIBRARY_ROUTES.map(
  (route) => new RegExp(`^${route.replaceAll(/:\w+/g, String.raw`[^/]+`)}$`),
)

interface Context {
  request: Request
  server: { requestIP(request: Request): { address: string } | null } | null
}

/** Sign-up, sign-in, sessions and the OAuth 2.1 authorization server: routes of better-auth, with its bodies. */
export function authRoutes(kit: HttpKit, deps: Deps, openAuth: OpenAuth) {
  const { baseUrl, mcpAuthUrl, trustProxy } = deps.config
  const issuerPath = '/.well-known/oauth-authorization-server'
  const resourcePath = '/.well-known/oauth-protected-resource'
  const resource = (identifier: string) => ({
    resource: identifier,
    authorization_servers: [mcpAuthUrl],
    scopes_supported: OAUTH_SCOPES,
    bearer_methods_supported: ['header'],
  })

  async function pass({ request, server }: Context): Promise<Response> {
    const path = new URL(request.url).pathname.slice(AUTH_PATH.length)
    if (!isLibraryRoute(request.method, path)) throw new AppError('not_found')
    const socketAddress = () => server?.requestIP(request)?.address
    const address = parseClientAddress(request.headers, socketAddress, trustProxy)
    const passed = await withAddress(request, address)
    return await askLibrary(deps, async () => await (await openAuth()).handler(passed))
  }
  async function describeServer(request: Request): Promise<Response> {
    const { oauthProviderAuthServerMetadata } = await import('@better-auth/oauth-provider')
    return await oauthProviderAuthServerMetadata(await openAuth())(request)
  }
  // Elysia adds to a route's details, so each has its own.
  const limited = (limit: LimitName) =>
    ({ rawBody: true, open: true, limit, detail: { hide: true } }) as const

  return createRoutes(kit, { name: 'auth' })
    .get(`${AUTH_PATH}/*`, pass, limited('account_reads'))
    .all(`${AUTH_PATH}/*`, pass, limited('accounts'))
    .get(issuerPath, ({ request }) => describeServer(request), { open: true, detail: hidden })
    .get(resourcePath, () => resource(baseUrl), { open: true, detail: hidden })
    .get(`${resourcePath}/mcp`, () => resource(`${baseUrl}/mcp`), { open: true, detail: hidden })
}

async function withAddress(request: Request, address: string): Promise<Request> {
  const headers = new Headers(request.headers)
  headers.set(CLIENT_ADDRESS_HEADER, address)
  const { method, url } = request
  if (method === 'GET' || method === 'HEAD') return new Request(url, { method, headers })
  const body = await readAuthBody(request)
  headers.delete('content-length')
  return new Request(url, { method, headers, body })
}

/**
 * The account library parses bodies itself and reports every fault in them, so it only receives bodies for which
 * that is cheap: small, flat, and of a content type that its routes accept.
 */
async function readAuthBody(request: Request): Promise<string> {
  const body = await readText(request, JSON_BODY_LIMIT)
  if (body === '') return body
  if (body.includes('\0') || body.includes(String.raw`\u0000`) || body.includes('%00')) {
    throw nulRefused()
  }
  const parts = countParts(body, mediaTypeOf(request.headers.get('content-type')))
  if (parts > PARTS_MAX) throw bodyTooWide(PARTS_MAX)
  if (body.length > BODY_MAX) throw bodyTooLarge(BODY_MAX)
  return body
}

function countParts(body: string, type: string): number {
  if (type === FORM_TYPE) return body.split('&').length
  if (!isJsonType(type)) throw new AppError('unsupported_media_type')
  const { depth, parts } = measureJson(body)
  if (depth > JSON_DEPTH_MAX) throw bodyTooDeep()
  return parts
}

/** `path` as it was sent, below `/api/auth`: any other spelling of a route is another path. */
function isLibraryRoute(method: string, path: string): boolean {
  return PATTERNS.some((pattern) => pattern.test(`${method} ${path}`))
}
