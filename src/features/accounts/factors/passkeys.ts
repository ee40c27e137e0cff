import { passkey } from '@better-auth/passkey'
import { APIError, createAuthMiddleware, getSessionFromCtx } from 'better-auth/api'
import type { BetterAuthPlugin } from 'better-auth/types'

import type { Deps } from '../../../deps.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { isObject } from '../../../lib/field-readers.ts'
import { settingsOf } from '../../settings/reader.ts'
import { LABEL_MAX, PASSKEYS_MAX } from '../model.ts'
import { lockSession, lockUser } from '../queries.ts'
import { countPasskeys, deletePasskey, touchPasskey } from './factor-queries.ts'
import { describePasskey, explainPasskeysOff, mailFactorAdded, updateFactorState } from './factors.ts'

const REGISTER = '/passkey/verify-registration'
const REGISTER_OPTIONS = '/passkey/generate-register-options'
const OPTIONS = '/passkey/generate-authenticate-options'
export const PASSKEY_SIGN_IN = '/passkey/verify-authentication'

/** Passkeys that check the person too (PIN, finger, face) are both factors; others are refused. */
export function passkeyFactors(deps: Deps) {
  const { baseUrl } = deps.config
  const off = explainPasskeysOff(baseUrl)
  const library = passkey({
    rpID: new URL(baseUrl).hostname,
    origin: baseUrl,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    advanced: { webAuthnChallengeCookie: 'passkey' },
    registration: {
      afterVerification: async ({ verification, user }) => {
        requireVerified(verification.registrationInfo?.userVerified)
        if ((await countPasskeys(deps.db, user.id)) >= PASSKEYS_MAX) {
          throw new AppError('taken', {
            message: `Your account already has ${PASSKEYS_MAX} passkeys. Remove one first.`,
          })
        }
      },
    },
    authentication: {
      afterVerification: async ({ verification }) => {
        requireVerified(verification.authenticationInfo.userVerified)
        await touchPasskey(deps.db, verification.authenticationInfo.credentialID)
      },
    },
  })
  const { generatePasskeyRegistrationOptions, generatePasskeyAuthenticationOptions } = library.endpoints
  const { verifyPasskeyRegistration, verifyPasskeyAuthentication } = library.endpoints
  /** Sessions that are confirmed by signing in again. */
  const replaced = new WeakMap<Request, { userUid: string; token: string }>()

  return {
    ...library,
    endpoints: {
      generatePasskeyRegistrationOptions,
      generatePasskeyAuthenticationOptions,
      verifyPasskeyRegistration,
      verifyPasskeyAuthentication,
    },
    hooks: {
      before: [
        {
          matcher: ({ path }) => path?.startsWith('/passkey/') ?? false,
          handler: createAuthMiddleware(async () => {
            if (off !== null) throw new AppError('invalid_request', { message: off })
          }),
        },
        {
          matcher: ({ path }) => path === REGISTER,
          handler: createAuthMiddleware(async ({ body }) => ({
            context: { body: { ...body, name: parsePasskeyName(body?.name), createSession: false } },
          })),
        },
        {
          matcher: ({ path }) => path === PASSKEY_SIGN_IN,
          handler: createAuthMiddleware(async (ctx) => {
            const found = await getSessionFromCtx(ctx)
            if (found && ctx.request)
              replaced.set(ctx.request, { userUid: found.user.id, token: found.session.token })
          }),
        },
      ],
      after: [
        {
          // The library leaves this check to the device; it is required here.
          matcher: ({ path }) => path === OPTIONS,
          handler: createAuthMiddleware(async ({ context, json }) =>
            isObject(context.returned) && 'challenge' in context.returned
              ? json({ ...context.returned, userVerification: 'required' })
              : undefined,
          ),
        },
        {
          matcher: ({ path }) => path === REGISTER_OPTIONS,
          handler: createAuthMiddleware(async ({ context, json }) => {
            const { returned } = context
            if (!isObject(returned) || !isObject(returned.rp)) return undefined
            const { name } = settingsOf(deps).storefront().settings
            return json({ ...returned, rp: { ...returned.rp, name } })
          }),
        },
        {
          matcher: ({ path }) => path === REGISTER,
          handler: createAuthMiddleware(async (ctx) => {
            const { returned, session } = ctx.context
            if (!session || !isObject(returned) || typeof returned.id !== 'string') return undefined
            const { id: uid, name } = returned
            await finishRegistration(deps, session, { uid, name: String(name) })
            return ctx.json({ id: uid, name })
          }),
        },
        {
          matcher: ({ path }) => path === PASSKEY_SIGN_IN,
          handler: createAuthMiddleware(async ({ context, request, json }) => {
            const { newSession } = context
            if (!newSession) return undefined
            const old = request && replaced.get(request)
            if (old?.userUid === newSession.user.id) await context.internalAdapter.deleteSession(old.token)
            return json({ user: { id: newSession.user.id, email: newSession.user.email } })
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

/** Removes the passkey if a reset of the password or the factors ended the session meanwhile. */
async function finishRegistration(
  deps: Deps,
  { session, user }: OpenSession,
  added: { uid: string; name: string },
): Promise<void> {
  const isKept = await deps.db.transaction(async (tx) => {
    const isHeld = await lockSession(tx, session.id)
    await lockUser(tx, user.id)
    if (isHeld) await mailFactorAdded(deps, tx, user.email, describePasskey(added.name))
    else await deletePasskey(tx, user.id, added.uid)
    await updateFactorState(deps, tx, user.id)
    return isHeld
  })
  if (!isKept) throw new APIError('UNAUTHORIZED')
}

function parsePasskeyName(name: unknown): string {
  if (name === undefined) return 'Passkey'
  const trimmed = typeof name === 'string' ? name.trim() : ''
  if (trimmed === '' || trimmed.length > LABEL_MAX) {
    throw invalidField('name', `must have 1 to ${LABEL_MAX} characters.`)
  }
  return trimmed
}

function requireVerified(isVerified: boolean | undefined): void {
  if (isVerified) return
  throw new APIError('BAD_REQUEST', {
    code: 'USER_NOT_VERIFIED',
    message: 'The device did not check that it is you. Set a PIN or a fingerprint on it, then try again.',
  })
}
