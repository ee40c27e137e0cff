import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { mediaUrl } from '../../../domain/site-urls.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import type { AccountCache, CachedUser } from '../account-cache.ts'
import { isOperator } from '../operators.ts'
import { SESSION_COOKIE } from '../sign-in/auth-settings.ts'
import type { OpenAuth } from '../sign-in/open-auth.ts'

/** Looks up the website's session in the cookies of a request. */
export function sessionSource(deps: Deps, openAuth: OpenAuth, cache: AccountCache) {
  async function load(headers: Headers): Promise<CachedUser | null> {
    const auth = await openAuth()
    const found = await auth.api.getSession({ headers }).catch(async (error: unknown) => {
      // The library hides the cause of its failure; this reports an unreachable database as such.
      await deps.database.check()
      // Without the daily extension of the session, which a full disk would prevent.
      return await auth.api.getSession({ headers, query: { disableRefresh: true } }).catch(() => {
        throw error
      })
    })
    if (!found || found.user.suspendedAt) return null
    const { user, session } = found
    return {
      kind: 'user',
      userUid: user.id,
      sessionUid: session.id,
      username: user.username ?? '',
      displayName: user.displayName ?? user.username ?? '',
      picture: user.pictureKey ? mediaUrl(deps.config.baseUrl, user.pictureKey) : null,
      email: user.email,
      emailVerified: user.emailVerified,
      developerMode: user.developerMode ?? false,
      adultContent: user.adultContent ?? false,
      hiddenTags: user.hiddenTags ?? [],
      isOperator: isOperator(deps.config, user),
      hasSecondFactor: user.twoFactorEnabled ?? false,
      confirmedAt: session.confirmedAt ?? null,
      expiresAt: session.expiresAt,
    }
  }

  return {
    /** The key is the whole header: only the library knows which of several cookies counts. */
    async findUserBySession(headers: Headers): Promise<WebsiteUser | null> {
      const cookies = headers.get('cookie')
      if (!cookies?.includes(SESSION_COOKIE)) return null
      const found = await cache.load(sha256Hex(cookies), () => load(headers))
      if (found?.kind !== 'user') return null
      const { expiresAt, ...user } = found
      return expiresAt > new Date() ? user : null
    },
  }
}
