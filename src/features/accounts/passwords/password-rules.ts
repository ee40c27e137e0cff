import { availableParallelism } from 'node:os'

import type { GenericEndpointContext } from 'better-auth'
import { APIError, createAuthMiddleware, getSessionFromCtx, isAPIError } from 'better-auth/api'
import { hashPassword, verifyPassword } from 'better-auth/crypto'
import type { BetterAuthPlugin } from 'better-auth/types'

import type { Deps } from '../../../deps.ts'
import { LIMITS } from '../../../domain/limit-table.ts'
import { invalidField } from '../../../errors.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { createSemaphore } from '../../../lib/flow/semaphore.ts'
import { tooManyAttempts } from '../factors/codes.ts'
import { PASSKEY_SIGN_IN } from '../factors/passkeys.ts'
import { CODE_PATHS } from '../factors/second-step.ts'
import { isOwnMachine, PUBLISHED_PASSWORD } from './demo-password.ts'
import { loadKnownBrowser, rememberBrowser } from './known-browsers.ts'

/**
 * The library's own hashes. Each occupies a core for tens of milliseconds, and sign-ups from many addresses
 * would occupy all of them, so half of the cores stay free for everything else.
 */
const cores = createSemaphore(Math.max(1, availableParallelism() >> 1))

export const passwords = {
  hash: (password: string) => withCore(() => hashPassword(password)),
  verify: (data: { hash: string; password: string }) => withCore(() => verifyPassword(data)),
}

async function withCore<Result>(work: () => Promise<Result>): Promise<Result> {
  const core = await cores.acquire()
  try {
    return await work()
  } finally {
    core[Symbol.dispose]()
  }
}

const SIGN_IN = '/sign-in/email'
/** Routes that check the password of a signed-in account, and the field that has it. */
const PASSWORD_FIELDS: Readonly<Record<string, string>> = {
  '/change-password': 'currentPassword',
  '/change-email': 'password',
  '/verify-password': 'password',
}
/** Routes after which the browser is remembered as one of the account. */
const REMEMBERED_AFTER = new Set<string>([
  SIGN_IN,
  '/sign-up/email',
  '/change-password',
  PASSKEY_SIGN_IN,
  ...CODE_PATHS,
])

interface Counter {
  name: 'wrong_passwords' | 'wrong_passwords_known' | 'wrong_passwords_signed_in'
  subject: string
}

/**
 * Wrong passwords are counted per account across all networks, and in the same way if there is no account.
 * Strangers cannot lock the owner out: a browser that signed in before has a counter of its own.
 */
export function passwordAttempts({ rates }: Deps) {
  const counted = new WeakMap<Request, Counter>()
  const add = (counter: Counter, amount: number) =>
    rates.add(`${counter.name}:${counter.subject}`, LIMITS[counter.name].windowSeconds * 1000, amount)

  /** Counts before the password is checked; otherwise parallel attempts would all pass. */
  async function count(ctx: GenericEndpointContext, counter: Counter, field: string): Promise<void> {
    const { count: attempts, resetMs } = await add(counter, 1)
    if (attempts > LIMITS[counter.name].max)
      throw tooManyAttempts(field, resetMs, 'passwords', 'or ask for a link to set a new password')
    if (ctx.request) counted.set(ctx.request, counter)
  }

  return {
    id: 'playshelf-password-attempts',
    hooks: {
      before: [
        {
          matcher: ({ path }) => path === SIGN_IN,
          handler: createAuthMiddleware(async (ctx) => {
            const email = String(ctx.body?.email ?? '')
              .trim()
              .toLowerCase()
            const account = sha256Hex(email)
            const known = await loadKnownBrowser(ctx, email)
            const counter: Counter = known
              ? { name: 'wrong_passwords_known', subject: `${account} ${known.id}` }
              : { name: 'wrong_passwords', subject: account }
            await count(ctx, counter, 'email')
          }),
        },
        {
          matcher: ({ path }) => path !== undefined && path in PASSWORD_FIELDS,
          handler: createAuthMiddleware(async (ctx) => {
            const found = await getSessionFromCtx(ctx)
            const counter = { name: 'wrong_passwords_signed_in', subject: found?.user.id ?? '' } as const
            if (found) await count(ctx, counter, PASSWORD_FIELDS[ctx.path] ?? '')
          }),
        },
      ],
      after: [
        {
          matcher: ({ path }) => path === SIGN_IN || (path !== undefined && path in PASSWORD_FIELDS),
          handler: createAuthMiddleware(async ({ context, request }) => {
            const counter = request && counted.get(request)
            if (counter && !isAPIError(context.returned)) await add(counter, -1)
          }),
        },
        {
          matcher: ({ path }) => path !== undefined && REMEMBERED_AFTER.has(path),
          handler: createAuthMiddleware(async (ctx) => {
            const { newSession, returned } = ctx.context
            if (newSession && !isAPIError(returned)) await rememberBrowser(ctx, newSession.user.id)
          }),
        },
      ],
    },
  } satisfies BetterAuthPlugin
}

/**
 * A local trial may become a public store with the same data; the published password must then stop working.
 */
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

const PASSWORD_PATHS = new Set([
  '/sign-in/email',
  '/sign-up/email',
  '/request-password-reset',
  '/reset-password',
  '/change-password',
  '/verify-password',
])

/** PASSWORD_SIGN_IN=off: only providers and passkeys sign in. */
export function passwordRules({ config }: Deps) {
  return {
    id: 'playshelf-password-rules',
    hooks: {
      before: config.passwordSignIn
        ? []
        : [
            {
              matcher: ({ path }) => path !== undefined && PASSWORD_PATHS.has(path),
              handler: createAuthMiddleware(async () => {
                throw new APIError('FORBIDDEN', {
                  code: 'PASSWORDS_OFF',
                  message: 'This store uses no passwords. Sign in with a passkey or one of its providers.',
                })
              }),
            },
          ],
    },
  } satisfies BetterAuthPlugin
}
