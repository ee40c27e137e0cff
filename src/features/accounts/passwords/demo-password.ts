import { APIError, createAuthMiddleware } from 'better-auth/api'
import type { BetterAuthPlugin } from 'better-auth/types'

import type { Config } from '../../../config.ts'
import type { Deps } from '../../../deps.ts'
import { invalidField } from '../../../errors.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { isLoopbackHost } from '../../../lib/net/loopback.ts'

/** Printed in the README, so it opens demo accounts only where nobody else can reach them. */
export const PUBLISHED_PASSWORD = 'playshelf-demo'
const LENGTH = 20

/** The password of the demo accounts. Elsewhere than on one's own machine, each installation has its own. */
export function demoPassword({ config, keyring }: Deps): string {
  return isOwnMachine(config)
    ? PUBLISHED_PASSWORD
    : sha256Hex(keyring.derive('demo')[0] ?? '').slice(0, LENGTH)
}

function isPublished(password: unknown): boolean {
  return password === PUBLISHED_PASSWORD
}

function isOwnMachine({ host, baseUrl }: Config): boolean {
  const listensAt = host.includes(':') ? `[${host}]` : host
  return isLoopbackHost(listensAt) && isLoopbackHost(new URL(baseUrl).hostname)
}

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
