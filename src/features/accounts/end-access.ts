import { createAuthMiddleware } from 'better-auth/api'
import type { BetterAuthPlugin } from 'better-auth/types'

import { sendMail } from '../../clients/mail/jobs.ts'
import type { Deps } from '../../deps.ts'
import { enqueue } from '../../jobs/queue.ts'
import { isObject } from '../../lib/field-readers.ts'
import { forgetAccount } from './account-cache.ts'
import { accessEndedMail, type EndedAccess } from './mails.ts'
import { deleteConsents } from './oauth-queries.ts'
import * as queries from './queries.ts'

interface Person {
  id: string
  email: string
}

/** After a password change, ends all access that somebody who knew the old password may have gained. */
export function createAccessEnd(deps: Deps) {
  /** For the response, which the library builds after it has called us. */
  const endedBy = new WeakMap<Request, EndedAccess>()

  /** Sessions first: a session that is creating a key has either finished by now, or finds itself ended. */
  async function endAccess({ id, email }: Person, keepSession?: string): Promise<EndedAccess> {
    return await deps.db.transaction(async (tx) => {
      await queries.deleteSessions(tx, id, keepSession)
      const keys = await queries.deletePlayerKeys(tx, id)
      const ended = { player_keys: keys, programs: await deleteConsents(tx, id) }
      await forgetAccount(deps, tx, id)
      await enqueue(tx, sendMail, accessEndedMail({ email }, ended, `${deps.config.baseUrl}/sign-in`))
      return ended
    })
  }

  const plugin = {
    id: 'playshelf-access-end',
    hooks: {
      after: [
        {
          matcher: ({ path }) => path === '/reset-password',
          handler: createAuthMiddleware(async ({ context, request, json }) => {
            const ended = request && endedBy.get(request)
            return ended && isObject(context.returned) ? json({ ...context.returned, ended }) : undefined
          }),
        },
        {
          matcher: ({ path, body }) => path === '/change-password' && body?.revokeOtherSessions === true,
          handler: createAuthMiddleware(async ({ context, json }) => {
            const { returned, newSession } = context
            if (!newSession || !isObject(returned) || !('token' in returned)) return undefined
            const ended = await endAccess(newSession.user, newSession.session.id)
            return json({ ...returned, ended })
          }),
        },
      ],
    },
  } satisfies BetterAuthPlugin

  return {
    plugin,
    async onPasswordReset({ user }: { user: Person }, request?: Request): Promise<void> {
      const ended = await endAccess(user)
      if (request) endedBy.set(request, ended)
    },
  }
}
