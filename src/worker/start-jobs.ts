import type { Config, Role } from '../config/config.ts'
import type { Deps } from '../deps.ts'
import type { JobOutcome, JobRunner } from '../jobs/runner.ts'
import type { Logger } from '../lib/log.ts'
import { loadHandlers } from './registry.ts'
import type { FromThread, ToThread } from './thread.ts'

interface ThreadOptions {
  log: Logger
  pretty: boolean
  onFinished?: (outcome: JobOutcome) => void
}

/** Runs jobs in a thread with its own connections, so that jobs and requests do not slow each other down. */
async function startJobThread(config: Config, options: ThreadOptions): Promise<JobRunner> {
  // In the compiled binary, module paths are relative to the entry point.
  const entry = Bun.isStandaloneExecutable ? './worker/thread.ts' : './thread.ts'
  const thread = new Worker(new URL(entry, import.meta.url).href, { name: 'jobs' })
  const send = (message: ToThread) => thread.postMessage(message)
  const ready = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()

  thread.addEventListener('message', ({ data }: MessageEvent<FromThread>) => {
    if (data.kind === 'ready') ready.resolve()
    if (data.kind === 'finished') options.onFinished?.(data.outcome)
    if (data.kind === 'stopped') ended.resolve()
    if (data.kind === 'failed') end(new Error(data.message))
  })
  thread.addEventListener('error', (event) => end(new Error(event.message)))
  thread.addEventListener('close', () => end(new Error('The job thread ended unexpectedly')))
  ended.promise.catch(() => undefined)

  function end(error: Error): void {
    ready.reject(error)
    ended.reject(error)
  }

  send({ kind: 'start', config, pretty: options.pretty })
  await ready.promise
  return {
    ended: ended.promise,
    async stop() {
      send({ kind: 'stop' })
      await ended.promise
      thread.terminate()
    },
  }
}

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
