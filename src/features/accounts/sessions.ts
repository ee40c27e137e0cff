import type { Deps } from '../../deps.ts'
import type { WebsiteUser } from '../../domain/actor.ts'
import type { Auth } from './auth.ts'
import { isOperator } from './operators.ts'

/** Looks up the website's session in the cookies of a request. */
export function sessionSource(deps: Deps, auth: Auth) {
  return {
    async findUserBySession(headers: Headers): Promise<WebsiteUser | null> {
      const found = await auth.api.getSession({ headers }).catch(async (error: unknown) => {
        // The library hides the cause of its failure; this reports an unreachable database as such.
        await deps.database.check()
        throw error
      })
      if (!found || found.user.suspendedAt) return null
      const { user, session } = found
      return {
        kind: 'user',
        userUid: user.id,
        sessionUid: session.id,
        username: user.username ?? '',
        email: user.email,
        emailVerified: user.emailVerified,
        developerMode: user.developerMode ?? false,
        adultContent: user.adultContent ?? false,
        hiddenTags: user.hiddenTags ?? [],
        isOperator: isOperator(deps.config, user),
      }
    },
  }
}
