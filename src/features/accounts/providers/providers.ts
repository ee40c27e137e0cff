import { APIError, createAuthMiddleware, getSessionFromCtx } from 'better-auth/api'
import type { BetterAuthPlugin } from 'better-auth/types'

import { isKnown, type SignInProvider } from '../../../config-providers.ts'
import type { Config } from '../../../config.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { isEmail } from '../../../lib/text/email.ts'
import { NAME_MAX, readName } from '../../../lib/text/names.ts'
import { createOpenIdClient } from './openid.ts'
import { type Provider, withDeadline } from './provider-deadline.ts'

/** Where people read why a sign-in by others failed. */
export const SIGN_IN_PAGE = '/sign-in'

/** The library's own providers, by their id. */
export function knownProviders({ signInProviders }: Config) {
  return Object.fromEntries(
    signInProviders
      .filter(({ id, issuer }) => issuer === null && isKnown(id))
      .map(({ id, clientId, clientSecret }) => [id, { clientId, clientSecret, ...EXTRAS[id] }]),
  )
}

/** GitLab tells by a time whether it confirmed the address; the library looks for another field. */
const EXTRAS: Readonly<Record<string, object>> = {
  gitlab: {
    mapProfileToUser: ({ confirmed_at: at }: { confirmed_at?: unknown }) => ({
      emailVerified: typeof at === 'string',
    }),
  },
}

/** No token of a provider is kept: they are of no use after the sign-in. */
export const NO_TOKENS = { accessToken: null, refreshToken: null, idToken: null } as const

/**
 * Sign-in by OpenID Connect. An address that an account has is never linked by signing in, only by a session of that
 * account (`/link-social`), and only where both sides have confirmed it.
 */
export function providerRules(deps: Deps) {
  const { signInProviders, baseUrl } = deps.config
  const clients = signInProviders.flatMap(({ issuer, ...provider }) =>
    issuer === null ? [] : [toLibraryProvider({ ...provider, issuer }, baseUrl)],
  )
  return {
    id: 'playshelf-providers',
    init: ({ socialProviders }) => ({
      context: {
        socialProviders: [...clients, ...socialProviders].map((one) =>
          withOneAddress(withDeadline(deps.log, one)),
        ),
      },
    }),
    hooks: {
      before: [
        {
          // What a page may ask for; the rest of the library's options is for programs.
          matcher: ({ path }) => path === '/sign-in/social' || path === '/link-social',
          handler: createAuthMiddleware(async ({ body }) => {
            const { provider, callbackURL, errorCallbackURL, newUserCallbackURL, disableRedirect } =
              body ?? {}
            return {
              context: {
                body: { provider, callbackURL, errorCallbackURL, newUserCallbackURL, disableRedirect },
              },
            }
          }),
        },
        {
          matcher: ({ path }) => path === '/link-social',
          handler: createAuthMiddleware(async (ctx) => {
            const found = await getSessionFromCtx(ctx)
            if (!found || found.user.emailVerified) return
            throw new AppError('email_not_verified', {
              message: 'Confirm the e-mail address of your account first; then connect the other sign-in.',
            })
          }),
        },
      ],
    },
  } satisfies BetterAuthPlugin
}

/** The library would take any text for an address; without one it refuses the sign-in. */
function withOneAddress(provider: Provider): Provider {
  return {
    ...provider,
    async getUserInfo(tokens) {
      const found = await provider.getUserInfo(tokens)
      const email = found?.user.email?.trim() ?? ''
      return found && { ...found, user: { ...found.user, email: isEmail(email) ? email : null } }
    },
  }
}

function toLibraryProvider(provider: SignInProvider & { issuer: string }, baseUrl: string) {
  const client = createOpenIdClient(provider, baseUrl)
  return {
    id: provider.id,
    name: provider.name,
    issuer: provider.issuer,
    requiresIdTokenNonce: true,
    accountSubject: ({ profile }: { profile: object }) => ('sub' in profile ? String(profile.sub) : ''),
    createAuthorizationURL: (data: {
      state: string
      codeVerifier: string
      redirectURI: string
      idTokenNonce?: string | undefined
    }) =>
      client.authorizationUrl({
        state: data.state,
        nonce: data.idTokenNonce ?? '',
        verifier: data.codeVerifier,
        redirectUri: data.redirectURI,
      }),
    validateAuthorizationCode: (data: {
      code: string
      redirectURI: string
      codeVerifier?: string | undefined
    }) => client.exchange(data.code, data.codeVerifier ?? '', data.redirectURI),
    async getUserInfo(tokens: {
      idToken?: string | undefined
      accessToken?: string | undefined
      expectedIdTokenNonce?: string | undefined
    }) {
      const { idToken = '', accessToken = '', expectedIdTokenNonce } = tokens
      if (!expectedIdTokenNonce) return null
      const claims = await client.readClaims({ idToken, accessToken }, expectedIdTokenNonce)
      const { email, name, preferred_username: nickname } = claims
      const user = {
        email: typeof email === 'string' ? email : null,
        emailVerified: claims.email_verified === true,
        name: [name, nickname].find((text) => typeof text === 'string') ?? '',
      }
      return { user, data: claims }
    },
  }
}

/** The name of a new account as a provider tells it; otherwise the part of the address before the @. */
export function nameOf({ name, email }: { name: string; email: string }): string {
  return readName(name, NAME_MAX) ?? readName(email.split('@', 1)[0] ?? '', NAME_MAX) ?? 'Player'
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
