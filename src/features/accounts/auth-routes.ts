import { oauthProviderAuthServerMetadata } from '@better-auth/oauth-provider'
import { Elysia } from 'elysia'

import { isForeignKeyViolation, isUniqueViolation } from '../../db/errors.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import { readClientAddress } from '../../http/client-address.ts'
import type { HttpKit } from '../../http/kit.ts'
import { readAuthBody } from './auth-body.ts'
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
        const address = readClientAddress(request.headers, server?.requestIP(request)?.address, trustProxy)
        const response = await auth.handler(await withAddress(request, address)).catch(explainConflict)
        if (await isNotStored(response)) {
          throw new AppError('service_down', { message: 'The account could not be stored. Try again.' })
        }
        if (response.status < 500) return response
        // The library's own 500 hides that the database is down and lacks our error format.
        await deps.database.check()
        throw new AppError('internal', { cause: new Error(`The account routes returned ${response.status}`) })
      },
      { rawBody: true, open: true, limit: 'accounts', detail: hidden },
    )
    .get(issuerPath, ({ request }) => serverMetadata(request), { open: true, detail: hidden })
    .get(resourcePath, () => resource(baseUrl), { open: true, detail: hidden })
    .get(`${resourcePath}/mcp`, () => resource(`${baseUrl}/mcp`), { open: true, detail: hidden })
}

/** Conflicts that only the table constraints detected, after the library's own checks. */
function explainConflict(error: unknown): Response {
  if (isForeignKeyViolation(error)) {
    const error_description = 'The access of this program has ended. Authorize it again.'
    return Response.json({ error: 'invalid_grant', error_description }, { status: 400 })
  }
  if (isUniqueViolation(error)) {
    throw new AppError('taken', {
      message: 'The same request was sent twice at once. Try again.',
      cause: error,
    })
  }
  throw error
}

/** The library's response to any database error while it stores an account. */
async function isNotStored(response: Response): Promise<boolean> {
  return response.status === 422 && (await response.clone().text()).includes('"FAILED_TO_CREATE_USER"')
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
