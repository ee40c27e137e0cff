import type { GenericEndpointContext } from 'better-auth'
import { APIError, createAuthEndpoint, createAuthMiddleware } from 'better-auth/api'
import { expireCookie, setSessionCookie } from 'better-auth/cookies'
import { twoFactor } from 'better-auth/plugins/two-factor'
import type { BetterAuthPlugin } from 'better-auth/types'

import type { Deps } from '../../../deps.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { isObject } from '../../../lib/field-readers.ts'
import { createSecret } from '../../../lib/ids.ts'
import { sendMail } from '../../mail/jobs.ts'
import { recoveryCodeUsedMail } from '../mails.ts'
import { loadKnownBrowser } from '../passwords/known-browsers.ts'
import { type CodeCounter, consumeConfirmedCode, hashTypedCode, withAttempt, wrongCode } from './codes.ts'
import { consumeRecoveryCode, countRecoveryCodes, TRUSTED } from './factor-queries.ts'

const SECOND_STEP_PAGE = '/second-step'
export const CODE_PATHS = ['/two-factor/verify-totp', '/two-factor/verify-backup-code'] as const
const TRUST_SECONDS = 30 * 24 * 60 * 60
/** How long the second step may take. */
const STEP_SECONDS = 10 * 60

const codeBody = {
  method: 'POST',
  metadata: { $Infer: { body: {} as { code?: string | number; trustDevice?: boolean } } },
} as const

interface Person {
  id: string
  email: string
}

/**
 * The library handles pending sign-ins and trusted browsers. The codes are checked here, because its own
 * check accepts a code twice, stores recovery codes readable and locks the account.
 */
export function secondStep(deps: Deps) {
  const { db, config } = deps
  const library = twoFactor({
    trustDeviceMaxAge: TRUST_SECONDS,
    twoFactorCookieMaxAge: STEP_SECONDS,
    totpOptions: { disable: true },
  })
  const [challenge] = library.hooks.after
  if (!challenge) throw new Error('The library no longer holds sign-ins back for a second step')
  const { handler: holdBack } = challenge
  /** Where the sign-in with a provider would have led. */
  const destinations = new WeakMap<Request, string>()

  const verify = (path: string, take: (user: Person, code: string) => Promise<boolean>) =>
    createAuthEndpoint(path, codeBody, async (ctx) => {
      const step = await loadStep(ctx)
      const code = String(ctx.body?.code ?? '')
      const counters = await countersOf(ctx, step.user)
      const taken = await withAttempt(deps, counters, async () => (await take(step.user, code)) || null)
      if (!taken) throw wrongCode()
      return await finish(ctx, step)
    })

  const takeRecovery = async ({ id, email }: Person, code: string): Promise<boolean> =>
    await db.transaction(async (tx) => {
      if (!(await consumeRecoveryCode(tx, id, hashTypedCode(code)))) return false
      const left = await countRecoveryCodes(tx, id)
      await enqueue(tx, sendMail, recoveryCodeUsedMail({ email }, left, config.baseUrl))
      return true
    })

  return {
    ...library,
    // The codes are in our own tables.
    schema: { user: library.schema.user },
    endpoints: {
      verifyTOTP: verify(CODE_PATHS[0], ({ id }, code) => consumeConfirmedCode(deps, id, code)),
      verifyBackupCode: verify(CODE_PATHS[1], takeRecovery),
    },
    hooks: {
      after: [
        {
          matcher: ({ path }) => isCallback(path),
          handler: createAuthMiddleware(async ({ context, request }) => {
            const { returned } = context
            const to = returned instanceof APIError ? new Headers(returned.headers).get('location') : null
            if (request && to !== null) destinations.set(request, to)
          }),
        },
        { matcher: ({ path }) => path === '/sign-in/email' || isCallback(path), handler: holdBack },
        {
          matcher: ({ path }) => isCallback(path),
          handler: createAuthMiddleware(async (ctx) => {
            const { returned } = ctx.context
            if (!isObject(returned) || returned.twoFactorRedirect !== true) return
            const next = (ctx.request && destinations.get(ctx.request)) ?? '/'
            const page = `${config.baseUrl}${SECOND_STEP_PAGE}?next=${encodeURIComponent(next)}`
            throw ctx.redirect(page)
          }),
        },
      ],
    },
  } satisfies BetterAuthPlugin
}

function isCallback(path: string | undefined): boolean {
  return path?.startsWith('/callback/') ?? false
}

interface Step {
  identifier: string
  user: Person & Record<string, unknown>
}

/** The sign-in that waits for its second step in this browser. */
async function loadStep(ctx: GenericEndpointContext): Promise<Step> {
  const cookie = ctx.context.createAuthCookie('two_factor')
  const identifier = await ctx.getSignedCookie(cookie.name, ctx.context.secret)
  const found = identifier && (await ctx.context.internalAdapter.findVerificationValue(identifier))
  const user =
    found && found.expiresAt > new Date() ? await ctx.context.internalAdapter.findUserById(found.value) : null
  if (!identifier || !user) throw tooLate()
  return { identifier, user }
}

/**
 * Strangers cannot use up the attempts of a browser that signed in before. Known browsers also share a
 * counter until the password changes: a thief may have signed in with many before there was a factor.
 */
async function countersOf(ctx: GenericEndpointContext, user: Person): Promise<CodeCounter[]> {
  const known = await loadKnownBrowser(ctx, user.email)
  if (known === null) return [{ name: 'wrong_codes_strangers', subject: user.id }]
  return [
    { name: 'wrong_codes_known', subject: `${user.id} ${known.id}` },
    { name: 'wrong_codes_known_all', subject: known.mark },
  ]
}

/** The step is consumed, so that it makes one session only. */
async function finish(ctx: GenericEndpointContext, { identifier, user }: Step) {
  const { internalAdapter, authCookies, secret } = ctx.context
  if (!(await internalAdapter.consumeVerificationValue(identifier))) throw tooLate()
  const isBrief = await ctx.getSignedCookie(authCookies.dontRememberToken.name, secret)
  const session = await internalAdapter.createSession(user.id, Boolean(isBrief))
  await setSessionCookie(ctx, { session, user: user as never })
  expireCookie(ctx, ctx.context.createAuthCookie('two_factor'))
  if (ctx.body?.trustDevice === true) await trustBrowser(ctx, user.id)
  return ctx.json({ token: session.token, user: { id: user.id, email: user.email } })
}

/** Stores the mark in the form that the library reads at the next sign-in. */
async function trustBrowser(ctx: GenericEndpointContext, userUid: string): Promise<void> {
  const { internalAdapter, secret } = ctx.context
  const identifier = TRUSTED + createSecret()
  const mark = new Bun.CryptoHasher('sha256', secret).update(`${userUid}!${identifier}`).digest('base64url')
  const expiresAt = new Date(Date.now() + TRUST_SECONDS * 1000)
  await internalAdapter.createVerificationValue({ value: userUid, identifier, expiresAt })
  const { name, attributes } = ctx.context.createAuthCookie('trust_device', { maxAge: TRUST_SECONDS })
  await ctx.setSignedCookie(name, `${mark}!${identifier}`, secret, attributes)
}

function tooLate(): APIError {
  return new APIError('UNAUTHORIZED', {
    code: 'SECOND_STEP_EXPIRED',
    message: 'This sign-in took too long or is complete. Sign in again.',
  })
}
