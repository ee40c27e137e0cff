import type { Deps } from '../../../deps.ts'
import type { Auth, AuthOptions } from './auth.ts'

export type OpenAuth = () => Promise<Auth>

/**
 * The account library takes a third of the start-up time and 10 MB, so the first request that needs it loads
 * it. After a failure the next request tries again.
 */
export function openAuthLater(deps: Deps, options?: AuthOptions): OpenAuth {
  let opened: Promise<Auth> | undefined
  async function open(): Promise<Auth> {
    const { createAuth } = await import('./auth.ts')
    return await createAuth(deps, options)
  }
  return async () => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined
      throw error
    })
    return await opened
  }
}
