import { createAuthMiddleware } from 'better-auth/api'
import type { BetterAuthPlugin } from 'better-auth/types'

import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { isObject } from '../../../lib/field-readers.ts'
import { sendMail } from '../../mail/jobs.ts'
import { forgetAccount } from '../account-cache.ts'
import { deletePendingRequests, setConfirmedEmail } from '../email/pending-queries.ts'
import { deleteFactors } from '../factors/factors.ts'
import { accessEndedMail, type EndedAccess } from '../mails.ts'
import { deleteConsents } from '../oauth/oauth-queries.ts'
import { rememberBrowser } from '../passwords/known-browsers.ts'
import * as queries from '../queries.ts'

interface Person {
  id: string
  email: string
  emailVerified: boolean
}

/** After a password change, ends all access that somebody who knew the old password may have gained. */
export function createAccessEnd(deps: Deps) {
  /** For the response, which the library builds after it has called us. */
  const endedBy = new WeakMap<Request, { userUid: string; ended: EndedAccess }>()

  /** Deletes sessions first: a session that is creating a key has either committed it by then, or fails. */
  async function endAccess(
    tx: Transaction,
    { id, email }: Person,
    keepSession?: string,
  ): Promise<EndedAccess> {
    await queries.deleteSessions(tx, id, keepSession)
    await deletePendingRequests(tx, id)
    const keys = await queries.deletePlayerKeys(tx, id)
    const ended = { player_keys: keys, programs: await deleteConsents(tx, id) }
    await forgetAccount(deps, tx, id)
    await enqueue(tx, sendMail, accessEndedMail({ email }, ended, `${deps.config.baseUrl}/sign-in`))
    return ended
  }

  /**
   * The link proves that the mailbox is theirs. Somebody else may have created an account that was never confirmed, so
   * its deploy keys, which cannot have uploaded anything yet, its factors and its other sign-ins end too.
   */
  async function takeOver(tx: Transaction, user: Person): Promise<EndedAccess> {
    const ended = await endAccess(tx, user)
    if (!user.emailVerified) {
      await queries.revokeIssuedKeys(tx, user.id)
      await queries.deleteProviders(tx, user.id)
      await deleteFactors(deps, tx, user.id)
      await setConfirmedEmail(tx, user.id, user.email)
    }
    return ended
  }

  const plugin = {
    id: 'playshelf-access-end',
    hooks: {
      after: [
        {
          matcher: ({ path }) => path === '/reset-password',
          handler: createAuthMiddleware(async (ctx) => {
            const { returned } = ctx.context
            const reset = ctx.request && endedBy.get(ctx.request)
            if (!reset || !isObject(returned)) return undefined
            // After a reset by mail the owner can sign in even while others guess the password.
            await rememberBrowser(ctx, reset.userUid)
            return ctx.json({ ...returned, ended: reset.ended })
          }),
        },
        {
          matcher: ({ path }) => path === '/change-password',
          handler: createAuthMiddleware(async ({ context, json }) => {
            const { returned, newSession } = context
            if (!isObject(returned) || !isObject(returned.user)) return undefined
            if (!newSession) {
              await deletePendingRequests(deps.db, String(returned.user.id))
              return undefined
            }
            const { user, session } = newSession
            const ended = await deps.db.transaction((tx) => endAccess(tx, user, session.id))
            return json({ ...returned, ended })
          }),
        },
      ],
    },
  } satisfies BetterAuthPlugin

  return {
    plugin,
    async onPasswordReset({ user }: { user: Person }, request?: Request): Promise<void> {
      const ended = await deps.db.transaction((tx) => takeOver(tx, user))
      if (request) endedBy.set(request, { userUid: user.id, ended })
    },
  }
}
