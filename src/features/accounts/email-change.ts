import { APIError, createAuthMiddleware, getSessionFromCtx } from 'better-auth/api'
import type { BetterAuthPlugin } from 'better-auth/types'

import { sendMail } from '../../clients/mail/jobs.ts'
import type { Deps } from '../../deps.ts'
import { enqueue } from '../../jobs/queue.ts'
import { emailChangeMail } from './mails.ts'

/** Who found a browser signed in could otherwise take the account over: the password is asked, the old address told. */
export function emailChangeRules(deps: Deps) {
  return {
    id: 'playshelf-email-change',
    hooks: {
      before: [
        {
          matcher: ({ path }) => path === '/change-email',
          handler: createAuthMiddleware(async (ctx) => {
            const session = await getSessionFromCtx(ctx)
            if (!session) throw new APIError('UNAUTHORIZED')
            const account = await ctx.context.internalAdapter.findCredentialAccount(session.user.id)
            const password = String(ctx.body?.password ?? '')
            const hash = account?.password
            if (!hash || !(await ctx.context.password.verify({ hash, password }))) {
              throw new APIError('BAD_REQUEST', { code: 'INVALID_PASSWORD', message: 'Invalid password' })
            }
            const { email } = session.user
            const mail = emailChangeMail({ email }, `${deps.config.baseUrl}/forgot`)
            await enqueue(deps.db, sendMail, mail)
          }),
        },
      ],
    },
  } satisfies BetterAuthPlugin
}
