import { constants, setPriority } from 'node:os'

import type { Deps } from '../deps.ts'

/**
 * Lets the servers of the same machine go first. The priority is lowered after the embedded Postgres was started, which
 * would inherit it.
 */
export function inBackground<Result>(work: (deps: Deps) => Promise<Result>): (deps: Deps) => Promise<Result> {
  return async (deps) => {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
    return await work(deps)
  }
}
