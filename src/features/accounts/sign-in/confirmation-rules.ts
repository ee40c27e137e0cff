import { createAuthMiddleware, getSessionFromCtx, isAPIError } from 'better-auth/api'
import type { BetterAuthPlugin } from 'better-auth/types'

import type { Deps } from '../../../deps.ts'
import { requireConfirmed } from '../../../domain/confirmation.ts'
import { isObject } from '../../../lib/field-readers.ts'
import { markConfirmed } from '../confirmation.ts'

/** The library's routes that need a recent confirmation. */
const NEEDS_CONFIRMATION: Readonly<Record<string, (body: unknown) => boolean>> = {
  '/passkey/generate-register-options': () => true,
  '/passkey/verify-registration': () => true,
  '/link-social': () => true,
  '/oauth2/consent': (body) => isObject(body) && body.accept === true && grantsWrites(body),
}

export function confirmationRules(deps: Deps) {
  return {
    id: 'playshelf-confirmation',
    hooks: {
      before: [
        {
          matcher: ({ path, body }) => NEEDS_CONFIRMATION[path ?? '']?.(body) ?? false,
          handler: createAuthMiddleware(async (ctx) => {
            const found = await getSessionFromCtx(ctx)
            if (!found) return
            const { confirmedAt } = found.session as { confirmedAt?: Date | null }
            requireConfirmed({ kind: 'user', confirmedAt: confirmedAt ?? null }, deps.config.baseUrl)
          }),
        },
      ],
      after: [
        {
          matcher: ({ path }) => path === '/verify-password',
          handler: createAuthMiddleware(async (ctx) => {
            if (isAPIError(ctx.context.returned)) return
            const found = await getSessionFromCtx(ctx)
            if (found) await markConfirmed(deps, { userUid: found.user.id, sessionUid: found.session.id })
          }),
        },
      ],
    },
  } satisfies BetterAuthPlugin
}

/** The requested scopes are in the signed query of the request; without a query they could be any. */
function grantsWrites({ oauth_query: query }: Record<string, unknown>): boolean {
  if (typeof query !== 'string') return true
  const scopes = new URLSearchParams(query).getAll('scope').join(' ').split(/\s+/)
  return scopes.some((scope) => scope.startsWith('mcp:') && scope.endsWith('.write'))
}
