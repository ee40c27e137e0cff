import { APIError, createAuthEndpoint, createAuthMiddleware, getSessionFromCtx } from 'better-auth/api'
import type { BetterAuthPlugin } from 'better-auth/types'

import { countRequest } from '../../../clients/rate-store/count-request.ts'
import type { Db } from '../../../db/client.ts'
import { isUniqueViolation } from '../../../db/errors.ts'
import type { Deps } from '../../../deps.ts'
import { requireConfirmed } from '../../../domain/confirmation.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { createSecret } from '../../../lib/ids.ts'
import { sendMail } from '../../mail/jobs.ts'
import { forgetAccount } from '../account-cache.ts'
import { markConfirmed } from '../confirmation/mark-confirmed.ts'
import { emailChangeMail, verificationMail } from '../mails.ts'
import { holdSession } from '../queries.ts'
import { mayMail } from './mail-budget.ts'
import * as queries from './pending-queries.ts'

/** A mailed link is valid for one hour. */
export const LINK_SECONDS = 3600
/** Where the mailed link leads: a page with a button. */
const CONFIRM_PAGE = '/verify'

/**
 * Replaces the library's confirmation, whose link acts when a mail scanner opens it and signs in whoever opens it.
 * Ours is confirmed by a POST in a session of the account.
 */
export function emailConfirmation(deps: Deps) {
  return {
    id: 'playshelf-email-confirmation',
    // This key is the library's own, so that its endpoint is gone.
    endpoints: {
      verifyEmail: createAuthEndpoint('/verify-email', { method: 'POST' }, async (ctx) => {
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
            // Who signs in by others has no password, and confirms the session with them.
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

/** The address is the account's own, or the one it asked to move to. */
export async function sendConfirmation(
  { rates, config }: Deps,
  db: Db,
  { id, email }: { id: string; email: string },
): Promise<void> {
  if (!(await mayMail(rates, db, email))) return
  const token = createSecret()
  const expiresAt = new Date(Date.now() + LINK_SECONDS * 1000)
  await db.transaction(async (tx) => {
    await queries.replaceConfirmation(tx, { userUid: id, email, tokenHash: sha256Hex(token), expiresAt })
    const mail = verificationMail({ email }, `${config.baseUrl}${CONFIRM_PAGE}?token=${token}`)
    await enqueue(tx, sendMail, mail)
  })
}

interface OpenSession {
  session: { id: string }
  user: { id: string; email: string }
}

/** Locks the session, so that a password reset runs either before, and ends it, or after, and sees this change. */
async function confirmEmail(deps: Deps, { session, user }: OpenSession, token: string): Promise<void> {
  try {
    await deps.db.transaction(async (tx) => {
      if (!(await holdSession(tx, session.id))) throw new APIError('UNAUTHORIZED')
      const taken = await queries.takeConfirmation(tx, user.id, sha256Hex(token), new Date())
      if (!taken) throw new APIError('BAD_REQUEST', { code: 'INVALID_TOKEN', message: 'Invalid token' })
      await queries.setConfirmedEmail(tx, user.id, taken.email)
      // Links mailed to the old address must not work any more.
      if (taken.email !== user.email) await queries.deleteResetLinks(tx, user.id)
      await forgetAccount(deps, tx, user.id)
    })
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw new APIError('CONFLICT', { code: 'USER_ALREADY_EXISTS', message: 'User already exists' })
  }
}
