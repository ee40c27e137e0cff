import type { AuthContext } from 'better-auth'

import { within } from '../../../lib/flow/within.ts'
import type { Logger } from '../../../lib/log.ts'

export type Provider = AuthContext['socialProviders'][number]

/** The longest that a sign-in waits for a provider, however many requests that takes. */
export const PROVIDER_WAIT_MS = 5000
/** Among the tokens, which the library hands from its first call to its second. */
const DEADLINE = 'playshelf_deadline'

/**
 * The library asks for tokens, then for the person; both have one deadline. A failure is logged and becomes null, which
 * leads the browser back to the page it came from.
 */
export function withDeadline(log: Logger, provider: Provider): Provider {
  async function ask<Answer>(deadline: number, work: Promise<Answer>): Promise<Answer | null> {
    try {
      return await within(Math.max(0, deadline - performance.now()), work)
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
