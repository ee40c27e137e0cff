import { APIError, createAuthMiddleware } from 'better-auth/api'
import type { BetterAuthPlugin } from 'better-auth/types'

import type { Deps } from '../../../deps.ts'
import { invalidField } from '../../../errors.ts'
import { isOwnMachine, PUBLISHED_PASSWORD } from './demo-password.ts'

/** A first look at home may become a public store with the same data: the published password ends there. */
export function publishedPasswordRules({ config }: Deps) {
  return {
    id: 'playshelf-published-password',
    hooks: {
      before: isOwnMachine(config)
        ? []
        : [
            {
              matcher: ({ body }) => isPublished(body?.password) || isPublished(body?.newPassword),
              handler: createAuthMiddleware(async ({ path, body }) => {
                if (path === '/sign-in/email') {
                  throw new APIError('UNAUTHORIZED', {
                    code: 'INVALID_EMAIL_OR_PASSWORD',
                    message: 'Invalid email or password',
                  })
                }
                const field = isPublished(body.newPassword) ? 'newPassword' : 'password'
                throw invalidField(field, 'This password is published. Choose another one.')
              }),
            },
          ],
    },
  } satisfies BetterAuthPlugin
}

function isPublished(password: unknown): boolean {
  return password === PUBLISHED_PASSWORD
}
