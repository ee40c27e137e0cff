import type { Role } from '../config.ts'
import type { Deps } from '../deps.ts'
import type { JobOutcome, JobRunner } from '../jobs/runner.ts'
import { loadHandlers } from './registry.ts'
import { startJobThread } from './start-thread.ts'

/** In a thread beside the server (`all`), on the main thread (`worker`), or not at all. */
export async function startJobs(
  deps: Deps,
  role: Role,
  onFinished?: (outcome: JobOutcome) => void,
): Promise<JobRunner | null> {
  const handlers = loadHandlers()
  const observe = onFinished ? { onFinished } : {}
  if (role === 'all') {
    return await startJobThread(deps.config, { log: deps.log, pretty: process.stdout.isTTY, ...observe })
  }
  if (role !== 'worker') return null
  const { startRunner } = await import('../jobs/runner.ts')
  return await startRunner(deps, {
    databaseUrl: deps.config.databaseUrl,
    handlers,
    ...observe,
  })
}
