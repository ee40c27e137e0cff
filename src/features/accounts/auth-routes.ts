import { oauthProviderAuthServerMetadata } from '@better-auth/oauth-provider'
import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import { readClientAddress } from '../../http/client-address.ts'
import type { HttpKit } from '../../http/kit.ts'
import { readAuthBody } from './auth-body.ts'
import { callAuth } from './auth-call.ts'
import { type Auth, AUTH_PATH, CLIENT_ADDRESS_HEADER, OAUTH_SCOPES } from './auth.ts'

const hidden = { hide: true }

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

  return new Elysia({ name: 'auth' })
    .use(kit)
    .all(
      `${AUTH_PATH}/*`,
      async ({ request, server }) => {
        const address = readClientAddress(
          request.headers,
          () => server?.requestIP(request)?.address,
          trustProxy,
        )
        return await callAuth(deps, auth, await withAddress(request, address))
      },
      { rawBody: true, open: true, limit: 'accounts', detail: hidden },
    )
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
