import { getOAuthProviderApi } from '@better-auth/oauth-provider'
import { createAuthMiddleware } from 'better-auth/api'
import type { BetterAuthPlugin } from 'better-auth/types'
import { decodeJwt } from 'jose'

import type { Db } from '../../../db/client.ts'
import { hashToken } from '../../../lib/bytes/hash.ts'
import { isObject } from '../../../lib/field-readers.ts'
import { dropAddresses, REGISTER_PROGRAM } from '../sign-in/body-rules.ts'
import * as queries from './oauth-queries.ts'

type ProviderOptions = Parameters<typeof getOAuthProviderApi>[1]

/** The rules of `agents.md` that the library does not cover. */
export function oauthRules(db: Db, provider: ProviderOptions, audiences: readonly string[]) {
  return {
    id: 'playshelf-oauth-rules',
    hooks: {
      before: [
        {
          matcher: ({ path, body }) => path === REGISTER_PROGRAM && isObject(body),
          handler: createAuthMiddleware(async ({ body }) => {
            dropAddresses(body)
            return defaultApplicationType(body)
          }),
        },
        {
          matcher: ({ path }) => path === '/oauth2/authorize',
          handler: createAuthMiddleware(async ({ body, query, method }) => ({
            context: {
              query: defaultResource(query, audiences),
              ...(method === 'POST' && { body: defaultResource(body, audiences) }),
            },
          })),
        },
        {
          matcher: ({ path, body }) => path === '/oauth2/revoke' && isFilled(body?.token),
          handler: createAuthMiddleware(async (ctx) => {
            const api = getOAuthProviderApi(ctx, provider)
            const { clientId } = await api.authenticateClient({ requireCredentials: false })
            await revoke(db, clientId, String(ctx.body.token))
            return new Response(null)
          }),
        },
      ],
      after: [
        {
          matcher: ({ path }) => path === '/oauth2/token',
          handler: createAuthMiddleware(async ({ context, body }) => {
            if (isTokenResponse(context.returned)) await record(db, context.returned, body?.code)
          }),
        },
        {
          matcher: ({ path }) => path === '/oauth2/introspect',
          handler: createAuthMiddleware(async ({ context, json }) =>
            (await isEnded(db, context.returned)) ? json({ active: false }) : undefined,
          ),
        },
      ],
    },
  } satisfies BetterAuthPlugin
}

/** Only native programs may use a loopback redirect (RFC 8252), but few declare that they are native. */
function defaultApplicationType(body: unknown) {
  if (!isObject(body) || body.application_type !== undefined || !Array.isArray(body.redirect_uris))
    return null
  const isWebsite = body.redirect_uris.every((uri) => typeof uri === 'string' && uri.startsWith('https:'))
  return isWebsite ? null : { context: { body: { ...body, application_type: 'native' } } }
}

/** Without a resource the library issues an opaque token, which our routes do not accept. */
function defaultResource(parameters: unknown, audiences: readonly string[]) {
  if (!isObject(parameters)) return parameters
  return { ...parameters, resource: parameters.resource ?? [...audiences] }
}

/** A signed token is valid while this row exists; fails when the consent has ended in the meantime. */
async function record(db: Db, response: TokenResponse, code: unknown): Promise<void> {
  const { jti, sub, azp, exp, iat, scope } = decodeJwt(response.access_token)
  const refresh = isFilled(response.refresh_token)
    ? await queries.findRefreshToken(db, hashToken(response.refresh_token))
    : undefined
  await queries.insertAccessToken(db, {
    token: jti,
    userId: sub,
    clientId: String(azp),
    scopes: String(scope).split(' '),
    createdAt: new Date((iat ?? 0) * 1000),
    expiresAt: new Date((exp ?? 0) * 1000),
    refreshId: refresh?.id,
    authorizationCodeId: refresh?.authorizationCodeId ?? (isFilled(code) ? hashToken(code) : null),
  })
}

/** RFC 7009: ignores the hint, and succeeds for tokens that are unknown or belong to another client. */
async function revoke(db: Db, clientId: string, token: string): Promise<void> {
  const tokenId = parseTokenId(token)
  if (tokenId === null) await queries.deleteRefreshFamily(db, clientId, hashToken(token))
  else await queries.deleteAccessToken(db, clientId, tokenId)
}

function parseTokenId(token: string): string | null {
  try {
    return decodeJwt(token).jti ?? null
  } catch {
    return null
  }
}

async function isEnded(db: Db, claims: unknown): Promise<boolean> {
  if (!isObject(claims) || typeof claims.jti !== 'string') return false
  return (await queries.findLiveToken(db, claims.jti)) === undefined
}

interface TokenResponse {
  access_token: string
  refresh_token?: unknown
}

function isTokenResponse(value: unknown): value is TokenResponse {
  return isObject(value) && typeof value.access_token === 'string'
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
