import type { AuthContext } from 'better-auth'
import { createAuthMiddleware, getSessionFromCtx } from 'better-auth/api'
import type { BetterAuthPlugin } from 'better-auth/types'

import type { Config } from '../../../config/config.ts'
import { isKnown, type SignInProvider } from '../../../config/services.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { withTimeout } from '../../../lib/flow/with-timeout.ts'
import type { Logger } from '../../../lib/log.ts'
import { isEmail, NAME_MAX, parseName } from '../../../lib/text/names.ts'
import { createOpenIdClient, PROVIDER_WAIT_MS } from './openid.ts'

/** The page that explains why a sign-in by a provider failed. */
export const SIGN_IN_PAGE = '/sign-in'

/** The library's own providers, by their id. */
export function knownProviders({ signInProviders }: Config) {
  return Object.fromEntries(
    signInProviders
      .filter(({ id, issuer }) => issuer === null && isKnown(id))
      .map(({ id, clientId, clientSecret }) => [id, { clientId, clientSecret, ...EXTRAS[id] }]),
  )
}

/** GitLab sends the time at which it confirmed the address; the library looks for another field. */
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
          withCheckedEmail(withDeadline(deps.log, one)),
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

/** Stored among the tokens, which the library passes from its first call to its second. */
const DEADLINE = 'playshelf_deadline'

/**
 * The library asks for tokens, then for the person; both have one deadline. A failure is logged and becomes null, which
 * leads the browser back to the page it came from.
 */
function withDeadline(log: Logger, provider: Provider): Provider {
  async function ask<Answer>(deadline: number, work: Promise<Answer>): Promise<Answer | null> {
    try {
      return await withTimeout(Math.max(0, deadline - performance.now()), work)
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown'
      log.warn('A sign-in by a provider failed', { component: 'accounts', provider: provider.id, reason })
      return null
    }
  }
  return {
    ...provider,
    async validateAuthorizationCode(data) {
      const deadline = performance.now() + PROVIDER_WAIT_MS
      const tokens = await ask(deadline, provider.validateAuthorizationCode(data))
      return tokens && { ...tokens, raw: { ...tokens.raw, [DEADLINE]: deadline } }
    },
    getUserInfo: async (tokens) => await ask(Number(tokens.raw?.[DEADLINE]), provider.getUserInfo(tokens)),
  }
}

/** The library would take any text for an address; without one it refuses the sign-in. */
function withCheckedEmail(provider: Provider): Provider {
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
export function accountNameOf({ name, email }: { name: string; email: string }): string {
  return parseName(name, NAME_MAX) ?? parseName(email.split('@', 1)[0] ?? '', NAME_MAX) ?? 'Player'
}

type Provider = AuthContext['socialProviders'][number]
