import { oauthProviderAuthServerMetadata } from '@better-auth/oauth-provider'
import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { LimitName } from '../../../http/access/limit-table.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { readClientAddress } from '../../../http/server/client-address.ts'
import { readAuthBody } from './auth-body.ts'
import { callAuth } from './auth-call.ts'
import { type Auth, AUTH_PATH, OAUTH_SCOPES } from './auth.ts'
import { CLIENT_ADDRESS_HEADER } from './client-address-header.ts'

const hidden = { hide: true }

interface Context {
  request: Request
  server: { requestIP(request: Request): { address: string } | null } | null
}

/** Sign-up, sign-in, sessions and the OAuth 2.1 authorization server: better-auth's own routes and bodies. */
export function authRoutes(kit: HttpKit, deps: Deps, auth: Auth) {
  const { baseUrl, mcpAuthUrl, trustProxy } = deps.config
  const serverMetadata = oauthProviderAuthServerMetadata(auth)
  const issuerPath = '/.well-known/oauth-authorization-server'
  const resourcePath = '/.well-known/oauth-protected-resource'
  const resource = (identifier: string) => ({
    resource: identifier,
    authorization_servers: [mcpAuthUrl],
    scopes_supported: OAUTH_SCOPES,
    bearer_methods_supported: ['header'],
  })

  async function pass({ request, server }: Context): Promise<Response> {
    const socketAddress = () => server?.requestIP(request)?.address
    const address = readClientAddress(request.headers, socketAddress, trustProxy)
    return await callAuth(deps, auth, await withAddress(request, address))
  }
  // Elysia adds to a route's details, so each has its own.
  const limited = (limit: LimitName) =>
    ({ rawBody: true, open: true, limit, detail: { hide: true } }) as const

  return new Elysia({ name: 'auth' })
    .use(kit)
    .get(`${AUTH_PATH}/*`, pass, limited('account_reads'))
    .all(`${AUTH_PATH}/*`, pass, limited('accounts'))
    .get(issuerPath, ({ request }) => serverMetadata(request), { open: true, detail: hidden })
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
