import { oauthProvider } from '@better-auth/oauth-provider'
import { drizzleAdapter } from 'better-auth/adapters/drizzle'
import { createAuthMiddleware, getSessionFromCtx, isAPIError } from 'better-auth/api'
import { betterAuth } from 'better-auth/minimal'
import { jwt } from 'better-auth/plugins'
import type { BetterAuthPlugin } from 'better-auth/types'

import { trackTransactions } from '../../../db/pool/track-transactions.ts'
import * as accountTables from '../../../db/schema/accounts.ts'
import { passkeys } from '../../../db/schema/accounts.ts'
import * as oauthTables from '../../../db/schema/oauth.ts'
import type { Deps } from '../../../deps.ts'
import { requireConfirmed } from '../../../domain/confirmation.ts'
import { PROGRAM_NAME } from '../../../domain/store-settings.ts'
import { hashToken } from '../../../lib/bytes/hash.ts'
import { isObject } from '../../../lib/field-readers.ts'
import { createUid } from '../../../lib/ids.ts'
import { isHttpsUrl, LINK_MAX } from '../../../lib/net/urls.ts'
import { forgetAccount } from '../account-cache.ts'
import { markConfirmed } from '../confirmation.ts'
import { emailConfirmation } from '../email/email-confirmation.ts'
import { LINK_SECONDS, RESET_LINKS, sendConfirmation, sendResetLink } from '../email/mailed-links.ts'
import { TRUSTED } from '../factors/factor-queries.ts'
import { mailProviderConnected } from '../factors/factors.ts'
import { passkeyFactors } from '../factors/passkeys.ts'
import { secondStep } from '../factors/second-step.ts'
import { ensureOauthResources } from '../oauth/oauth-queries.ts'
import { oauthRules } from '../oauth/oauth-rules.ts'
import {
  passwordAttempts,
  passwordRules,
  passwords,
  publishedPasswordRules,
} from '../passwords/password-rules.ts'
import { noteLookAlike } from '../profile/look-alikes.ts'
import { firstNames } from '../profile/service.ts'
import {
  accountNameOf,
  knownProviders,
  NO_TOKENS,
  providerRules,
  SIGN_IN_PAGE,
} from '../providers/providers.ts'
import { createAccessEnd } from '../sessions/end-access.ts'
import { pickUsername } from '../usernames.ts'
import { admitNewAccount, parseInvitation, refuseSuspended, refuseTakenEmail } from './admission.ts'
import {
  AUTH_PATH,
  CLIENT_ADDRESS_HEADER,
  cookiePrefix,
  OAUTH_SCOPES,
  PASSWORD_MAX,
  PASSWORD_MIN,
  tokenAudiences,
} from './auth-settings.ts'
import { bodyRules, returnAddressRules } from './body-rules.ts'
import { libraryLog } from './library-faults.ts'

const USER_AGENT_MAX = 512
/** Limits the library's transactions, which stay open while the password of a new account is hashed. */
const TRANSACTIONS_AT_ONCE = 4

export type Auth = Awaited<ReturnType<typeof createAuth>>

export interface AuthOptions {
  sendsMail?: boolean
  /** False for accounts that the program adds itself. */
  checksInvitations?: boolean
}

export async function createAuth(
  deps: Deps,
  { sendsMail = true, checksInvitations = true }: AuthOptions = {},
) {
  const { config, db } = deps
  const https = config.baseUrl.startsWith('https:')
  const origins = [...new Set([config.baseUrl, config.mcpAuthUrl])]
  const accessEnd = createAccessEnd(deps)
  const audiences = tokenAudiences(config.baseUrl)
  await ensureOauthResources(db, audiences)
  const provider = oauthProvider({
    loginPage: `${config.baseUrl}/sign-in`,
    consentPage: `${config.baseUrl}/oauth/consent`,
    scopes: OAUTH_SCOPES,
    resources: audiences,
    clientRegistrationDefaultResources: audiences,
    allowDynamicClientRegistration: true,
    allowUnauthenticatedClientRegistration: true,
    // The consent page also uses this route, to have the library check the signature of a request.
    allowPublicClientPrelogin: true,
    accessTokenExpiresIn: 3600,
    grantTypes: ['authorization_code', 'refresh_token'],
    storeTokens: { hash: hashToken },
    silenceWarnings: { oauthAuthServerConfig: true, openidConfig: true },
  })
  const transactions = trackTransactions(db, TRANSACTIONS_AT_ONCE)
  /**
   * Called after the library's change is committed. After a crash in between, cache entries stay until they
   * expire.
   */
  const forget = (userUid: string) => forgetAccount(deps, transactions.current(), userUid)
  const auth = betterAuth({
    appName: PROGRAM_NAME,
    baseURL: config.mcpAuthUrl,
    basePath: AUTH_PATH,
    secrets: versionedSecrets(deps),
    trustedOrigins: origins,
    database: drizzleAdapter(transactions.db, {
      provider: 'pg',
      schema: {
        user: accountTables.users,
        session: accountTables.sessions,
        account: accountTables.accounts,
        verification: accountTables.verifications,
        jwks: accountTables.jwks,
        passkey: passkeys,
        oauthClient: oauthTables.oauthClients,
        oauthResource: oauthTables.oauthResources,
        oauthClientResource: oauthTables.oauthClientResources,
        oauthRefreshToken: oauthTables.oauthRefreshTokens,
        oauthAccessToken: oauthTables.oauthAccessTokens,
        oauthConsent: oauthTables.oauthConsents,
        oauthClientAssertion: oauthTables.oauthClientAssertions,
      },
      transaction: true,
    }),
    user: {
      changeEmail: { enabled: true },
      additionalFields: {
        username: { type: 'string', required: false, input: false },
        displayName: { type: 'string', required: false, input: false },
        nameSkeleton: { type: 'string', required: false, input: false },
        pictureKey: { type: 'string', required: false, input: false },
        developerMode: { type: 'boolean', required: false, input: false, defaultValue: false },
        adultContent: { type: 'boolean', required: false, input: false, defaultValue: false },
        hiddenTags: { type: 'string[]', required: false, input: false, defaultValue: [] },
        extstoreId: { type: 'string', required: false, input: false },
        operator: { type: 'boolean', required: false, input: false, defaultValue: false },
        suspendedAt: { type: 'date', required: false, input: false },
      },
    },
    socialProviders: knownProviders(config),
    account: {
      updateAccountOnSignIn: false,
      accountLinking: { enabled: true, disableImplicitLinking: true, allowDifferentEmails: false },
    },
    emailAndPassword: {
      enabled: true,
      minPasswordLength: PASSWORD_MIN,
      maxPasswordLength: PASSWORD_MAX,
      password: passwords,
      revokeSessionsOnPasswordReset: true,
      onPasswordReset: accessEnd.onPasswordReset,
      resetPasswordTokenExpiresIn: LINK_SECONDS,
      sendResetPassword: async (link) => await sendResetLink(deps, transactions.current(), link),
    },
    emailVerification: {
      sendOnSignUp: sendsMail,
      sendVerificationEmail: async ({ user }) => await sendConfirmation(deps, transactions.current(), user),
    },
    verification: {
      storeIdentifier: RESET_LINKS,
      additionalFields: { userAgent: { type: 'string', required: false } },
    },
    session: {
      expiresIn: 60 * 60 * 24 * 30,
      updateAge: 60 * 60 * 24,
      // Turns off the library's check of a session's age; `confirmationRules` checks its last confirmation.
      freshAge: 0,
      additionalFields: { confirmedAt: { type: 'date', required: false, input: false } },
    },
    databaseHooks: {
      user: {
        create: {
          before: async (user, ctx) => {
            const tx = transactions.current()
            const code = parseInvitation(ctx?.body, ctx?.headers)
            if (checksInvitations) await admitNewAccount(deps, tx, { email: user.email, code })
            await refuseTakenEmail(tx, user.email)
            const name = accountNameOf(user)
            const image = isHttpsUrl(user.image ?? '', LINK_MAX) ? user.image : null
            const username = await pickUsername(tx, deps, name)
            return { data: { ...user, name, image, username, ...firstNames(name, username) } }
          },
          after: ({ id }) => noteLookAlike(deps, transactions.current(), id),
        },
        update: { after: ({ id }) => forget(id) },
      },
      session: {
        create: {
          before: async (session) => {
            await refuseSuspended(transactions.current(), session.userId)
            return { data: { ...session, confirmedAt: new Date() } }
          },
        },
        delete: { after: ({ userId }) => forget(userId) },
      },
      account: {
        create: {
          before: async (account) => ({ data: { ...account, ...NO_TOKENS } }),
          after: (account) => mailProviderConnected(deps, transactions.current(), account),
        },
        update: { before: async (account) => ({ data: { ...account, ...NO_TOKENS } }) },
      },
      verification: {
        create: {
          before: async (row, ctx) =>
            row.identifier.startsWith(TRUSTED)
              ? { data: { ...row, userAgent: ctx?.headers?.get('user-agent')?.slice(0, USER_AGENT_MAX) } }
              : undefined,
        },
      },
    },
    advanced: {
      cookiePrefix: cookiePrefix(https),
      // The library would add another prefix to the names.
      useSecureCookies: false,
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', secure: https },
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
      database: { generateId: () => createUid() },
    },
    rateLimit: { enabled: false },
    // The library returns its own refusals; errors are rethrown, because it would log them with all parameters.
    onAPIError: { onError: throwFault, errorURL: `${config.baseUrl}${SIGN_IN_PAGE}` },
    telemetry: { enabled: false },
    logger: { log: libraryLog(deps.log) },
    plugins: [
      bodyRules,
      returnAddressRules(origins),
      passwordRules(deps),
      confirmationRules(deps),
      providerRules(deps),
      // Must come before those that look at the session of a finished sign-in.
      secondStep(deps),
      passkeyFactors(deps),
      passwordAttempts(deps),
      publishedPasswordRules(deps),
      jwt({ disableSettingJwtHeader: true, jwt: { issuer: config.mcpAuthUrl } }),
      provider,
      oauthRules(db, provider.options, audiences),
      accessEnd.plugin,
      emailConfirmation(deps),
    ],
  })
  // Waits for its start-up queries, so that their errors are thrown here.
  await auth.$context
  return auth
}

/** The library wants a version number per secret; it is derived from the key, so a rotated key keeps its number. */
function versionedSecrets(deps: Deps): { version: number; value: string }[] {
  return deps.keyring
    .derive('accounts')
    .map((value) => ({ version: Bun.hash.crc32(value) % 2_147_483_647, value }))
}

function throwFault(error: unknown): void {
  if (!isAPIError(error)) throw error
}

/** The library's routes that need a recent confirmation. */
const NEEDS_CONFIRMATION: Readonly<Record<string, (body: unknown) => boolean>> = {
  '/passkey/generate-register-options': () => true,
  '/passkey/verify-registration': () => true,
  '/link-social': () => true,
  '/oauth2/consent': (body) => isObject(body) && body.accept === true && grantsWrites(body),
}

function confirmationRules(deps: Deps) {
  return {
    id: 'playshelf-confirmation',
    hooks: {
      before: [
        {
          matcher: ({ path, body }) => NEEDS_CONFIRMATION[path ?? '']?.(body) ?? false,
          handler: createAuthMiddleware(async (ctx) => {
            const found = await getSessionFromCtx(ctx)
            if (!found) return
            const { confirmedAt } = found.session as { confirmedAt?: Date | null }
            requireConfirmed({ kind: 'user', confirmedAt: confirmedAt ?? null }, deps.config.baseUrl)
          }),
        },
      ],
      after: [
        {
          matcher: ({ path }) => path === '/verify-password',
          handler: createAuthMiddleware(async (ctx) => {
            if (isAPIError(ctx.context.returned)) return
            const found = await getSessionFromCtx(ctx)
            if (found) await markConfirmed(deps, { userUid: found.user.id, sessionUid: found.session.id })
          }),
        },
      ],
    },
  } satisfies BetterAuthPlugin
}

/** The requested scopes are in the signed query of the request; without a query they could be any. */
function grantsWrites({ oauth_query: query }: Record<string, unknown>): boolean {
  if (typeof query !== 'string') return true
  const scopes = new URLSearchParams(query).getAll('scope').join(' ').split(/\s+/)
  return scopes.some((scope) => scope.startsWith('mcp:') && scope.endsWith('.write'))
}
