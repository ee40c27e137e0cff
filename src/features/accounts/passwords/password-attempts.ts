import type { GenericEndpointContext } from 'better-auth'
import { createAuthMiddleware, getSessionFromCtx, isAPIError } from 'better-auth/api'
import type { BetterAuthPlugin } from 'better-auth/types'

import type { Deps } from '../../../deps.ts'
import { LIMITS } from '../../../domain/limit-table.ts'
import { AppError } from '../../../errors.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { PASSKEY_SIGN_IN } from '../factors/passkeys.ts'
import { CODE_PATHS } from '../factors/second-step.ts'
import { readKnownBrowser, rememberBrowser } from './known-browsers.ts'

const SIGN_IN = '/sign-in/email'
/** The routes that ask somebody who is signed in for the password, and its field. */
const ASKING: Readonly<Record<string, string>> = {
  '/change-password': 'currentPassword',
  '/change-email': 'password',
  '/verify-password': 'password',
}
/** After these the browser has shown that it belongs to the account. */
const PROVING = new Set<string>([
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
 * Wrong passwords are counted per account, from whatever networks they come, and the same where there is no account.
 * Strangers cannot lock the owner out: a browser that signed in before has a counter of its own.
 */
export function passwordAttempts({ rates }: Deps) {
  const counted = new WeakMap<Request, Counter>()
  const add = (counter: Counter, amount: number) =>
    rates.add(`${counter.name}:${counter.subject}`, LIMITS[counter.name].windowSeconds * 1000, amount)

  /** Counts before the password is checked; otherwise parallel attempts would all pass. */
  async function count(ctx: GenericEndpointContext, counter: Counter, field: string): Promise<void> {
    const { count: attempts, resetMs } = await add(counter, 1)
    if (attempts > LIMITS[counter.name].max) throw tooMany(resetMs, field)
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
            const known = await readKnownBrowser(ctx, email)
            const counter: Counter = known
              ? { name: 'wrong_passwords_known', subject: `${account} ${known.id}` }
              : { name: 'wrong_passwords', subject: account }
            await count(ctx, counter, 'email')
          }),
        },
        {
          matcher: ({ path }) => path !== undefined && path in ASKING,
          handler: createAuthMiddleware(async (ctx) => {
            const found = await getSessionFromCtx(ctx)
            const counter = { name: 'wrong_passwords_signed_in', subject: found?.user.id ?? '' } as const
            if (found) await count(ctx, counter, ASKING[ctx.path] ?? '')
          }),
        },
      ],
      after: [
        {
          matcher: ({ path }) => path === SIGN_IN || (path !== undefined && path in ASKING),
          handler: createAuthMiddleware(async ({ context, request }) => {
            const counter = request && counted.get(request)
            if (counter && !isAPIError(context.returned)) await add(counter, -1)
          }),
        },
        {
          matcher: ({ path }) => path !== undefined && PROVING.has(path),
          handler: createAuthMiddleware(async (ctx) => {
            const { newSession, returned } = ctx.context
            if (newSession && !isAPIError(returned)) await rememberBrowser(ctx, newSession.user.id)
          }),
        },
      ],
    },
  } satisfies BetterAuthPlugin
}

function tooMany(resetMs: number, field: string): AppError {
  const seconds = Math.max(1, Math.ceil(resetMs / 1000))
  const minutes = Math.ceil(seconds / 60)
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`
  const message = `Too many wrong passwords for this account. Wait ${wait}, or ask for a link to set a new password.`
  return new AppError('rate_limited', {
    message,
    data: { issues: [{ path: field, message }] },
    headers: { 'retry-after': String(seconds) },
  })
}
