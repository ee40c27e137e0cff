import { APIError, createAuthEndpoint, createAuthMiddleware, getSessionFromCtx } from 'better-auth/api'
import type { BetterAuthPlugin } from 'better-auth/types'

import { countRequest } from '../../../clients/rate-store/count-request.ts'
import { isUniqueViolation } from '../../../db/errors.ts'
import type { Deps } from '../../../deps.ts'
import { requireConfirmed } from '../../../domain/confirmation.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { sendMail } from '../../mail/jobs.ts'
import { forgetAccount } from '../account-cache.ts'
import { markConfirmed } from '../confirmation.ts'
import { emailChangeMail } from '../mails.ts'
import { lockSession } from '../queries.ts'
import * as queries from './pending-queries.ts'

/** The rules read the body themselves. */
const tokenBody = {
  method: 'POST',
  metadata: { $Infer: { body: {} as { token?: string | number } } },
} as const

/**
 * Replaces the library's confirmation, whose link acts when a mail scanner opens it and signs in whoever opens it.
 * Ours is confirmed by a POST in a session of the account.
 */
export function emailConfirmation(deps: Deps) {
  return {
    id: 'playshelf-email-confirmation',
    // This key is the library's own, so that its endpoint is gone.
    endpoints: {
      verifyEmail: createAuthEndpoint('/verify-email', tokenBody, async (ctx) => {
        const found = await getSessionFromCtx(ctx)
        if (!found) throw new APIError('UNAUTHORIZED')
        await confirmEmail(deps, found, String(ctx.body?.token ?? ''))
        return ctx.json({ status: true })
      }),
    },
    hooks: {
      before: [
        {
          // Without a session anyone could send mails to others and cancel their pending change.
          matcher: ({ path }) => path === '/send-verification-email',
          handler: createAuthMiddleware(async (ctx) => {
            if (!(await getSessionFromCtx(ctx))) throw new APIError('UNAUTHORIZED')
          }),
        },
        {
          // Otherwise anybody at a signed-in browser could take over the account.
          matcher: ({ path }) => path === '/change-email',
          handler: createAuthMiddleware(async (ctx) => {
            const session = await getSessionFromCtx(ctx)
            if (!session) throw new APIError('UNAUTHORIZED')
            const account = await ctx.context.internalAdapter.findCredentialAccount(session.user.id)
            const password = String(ctx.body?.password ?? '')
            const hash = deps.config.passwordSignIn ? account?.password : null
            // Without a password, the session itself must have been confirmed recently.
            if (!hash) {
              const { confirmedAt = null } = session.session as { confirmedAt?: Date | null }
              requireConfirmed({ kind: 'user', confirmedAt }, deps.config.baseUrl)
            } else if (await ctx.context.password.verify({ hash, password })) {
              await markConfirmed(deps, { userUid: session.user.id, sessionUid: session.session.id })
            } else {
              throw new APIError('BAD_REQUEST', { code: 'INVALID_PASSWORD', message: 'Invalid password' })
            }
            const { id, email } = session.user
            await countRequest(deps.rates, ['email_change'], () => id, {})
            const mail = emailChangeMail({ email }, `${deps.config.baseUrl}/forgot`)
            await enqueue(deps.db, sendMail, mail)
          }),
        },
      ],
    },
  } satisfies BetterAuthPlugin
}

interface OpenSession {
  session: { id: string }
  user: { id: string; email: string }
}

/** Locks the session, so that a password reset runs either before, and ends it, or after, and sees this change. */
async function confirmEmail(deps: Deps, { session, user }: OpenSession, token: string): Promise<void> {
  try {
    await deps.db.transaction(async (tx) => {
      if (!(await lockSession(tx, session.id))) throw new APIError('UNAUTHORIZED')
      const taken = await queries.consumeConfirmation(tx, user.id, sha256Hex(token), new Date())
      if (!taken) throw new APIError('BAD_REQUEST', { code: 'INVALID_TOKEN', message: 'Invalid token' })
      await queries.setConfirmedEmail(tx, user.id, taken.email)
      await queries.forgetBounces(tx, user.id)
      // Links mailed to the old address must not work any more.
      if (taken.email !== user.email) await queries.deleteResetLinks(tx, user.id)
      await forgetAccount(deps, tx, user.id)
    })
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw new APIError('CONFLICT', { code: 'USER_ALREADY_EXISTS', message: 'User already exists' })
  }
}
