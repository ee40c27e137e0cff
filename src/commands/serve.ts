import { type App, createApp } from '../app.ts'
import { migrateDatabase } from '../db/migrate.ts'
import { holdServeLock } from '../db/serve-lock.ts'
import { createDeps, type Deps } from '../deps.ts'
import { createHandler } from '../http/handler.ts'
import { createRouteTable } from '../http/metrics-routes.ts'
import { startMetrics } from '../http/metrics.ts'
import { listen } from '../http/server.ts'
import { traceRequests } from '../http/trace-requests.ts'
import { startJobs } from '../jobs/start-jobs.ts'
import { traceQueries } from '../lib/tracing-queries.ts'
import { startTracing } from '../lib/tracing.ts'
import { VERSION } from '../lib/version.ts'
import { type CommandContext, embeddedFolder, prepare } from './context.ts'

export interface RunningServer {
  url: string
  deps: Deps
  app: App
  stop(): Promise<void>
  /** Settles when a part that should run for ever has ended. */
  failed: Promise<never>
}

/** Everything up, in the order of need; down again in the opposite order. */
export async function startServer(context: CommandContext): Promise<RunningServer> {
  const { parsed, log } = context
  const cleanup = new AsyncDisposableStack()
  try {
    const listener = listen({ host: parsed.host, port: parsed.port, log })
    cleanup.defer(() => listener.stop())
    const { config, embedded } = await prepare(context, listener.port)
    if (embedded) {
      const release = await holdServeLock(embedded.url, embeddedFolder(parsed))
      cleanup.defer(() => embedded.stop())
      cleanup.defer(release)
    }
    await migrateDatabase(config.databaseUrl)
    const deps = await createDeps(config, log)
    cleanup.defer(() => deps.dispose())
    const app = await createApp(deps, { isStopping: listener.isStopping })
    const routeOf = createRouteTable(app.routes)
    const metrics = await startMetrics(deps, routeOf)
    if (metrics) cleanup.defer(() => metrics.stop())
    const tracing = await startTracing(config.traces, log)
    if (tracing) {
      cleanup.defer(() => tracing.stop())
      traceQueries(deps.db, tracing)
    }
    const handle = createHandler(app, {
      log,
      isStopping: listener.isStopping,
      onAnswer: metrics?.onAnswer,
      traceId: tracing?.activeTraceId,
    })
    listener.attach(tracing ? traceRequests(handle, tracing, routeOf) : handle)
    app.server = listener.server
    const jobs = await startJobs(deps, config.role, (outcome) => {
      metrics?.onJobFinished(outcome)
      tracing?.recordJob(outcome)
    })
    if (jobs) cleanup.defer(() => jobs.stop())
    cleanup.defer(() => listener.stop())
    log.info('Playshelf is ready', { url: config.baseUrl, role: config.role, version: VERSION })
    return {
      url: config.baseUrl,
      deps,
      app,
      stop: () => cleanup.disposeAsync(),
      failed: jobs ? rejectUnless(listener.isStopping, jobs.ended) : new Promise(() => undefined),
    }
  } catch (error) {
    await cleanup.disposeAsync()
    throw error
  }
}

/** A runner ends when we stop; ending before that is a fault. */
function rejectUnless(isStopping: () => boolean, ended: Promise<void>): Promise<never> {
  const failed = new Promise<never>((_, reject) => {
    const end = (reason?: unknown) => {
      if (!isStopping()) reject(new Error('The job runner ended by itself', { cause: reason }))
    }
    ended.then(() => end(), end)
  })
  failed.catch(() => undefined)
  return failed
}

/** Serves until SIGTERM or SIGINT, or until a part fails; a second signal ends it at once. */
export async function runUntilSignal(
  context: CommandContext,
  afterStart?: (deps: Deps, url: string) => Promise<void>,
): Promise<number> {
  const signal = Promise.withResolvers<string>()
  const onSignal = (name: string) => {
    process.once(name, () => process.exit(130))
    signal.resolve(name)
  }
  process.once('SIGINT', () => onSignal('SIGINT'))
  process.once('SIGTERM', () => onSignal('SIGTERM'))

  const server = await startServer(context)
  try {
    await afterStart?.(server.deps, server.url)
    const name = await Promise.race([signal.promise, server.failed])
    context.log.info('Stopping: requests and jobs in hand are finished first', { signal: name })
    return 0
  } finally {
    await server.stop()
    context.log.info('Stopped')
  }
}
