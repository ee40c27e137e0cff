import type { App } from '../app.ts'
import { isInsideAddress } from '../clients/outside/inside-addresses.ts'
import type { PoolTimes } from '../db/client.ts'
import { keepEmbeddedRunning } from '../db/embedded/embedded.ts'
import { handleUnawaitedOutages } from '../db/errors.ts'
import { migrateDatabase } from '../db/migrate.ts'
import { watchPool, type WatchTimes } from '../db/pool/watch-pool.ts'
import { createDeps, type Deps } from '../deps.ts'
import { describeSharedDomain } from '../domain/play-origins.ts'
import { createRecentRequests } from '../features/operate/status/recent-requests.ts'
import { createPlayHosts } from '../features/play/origin/server.ts'
import { findCredential } from '../http/access/credentials.ts'
import { pathOf } from '../http/base.ts'
import { ALIVE } from '../http/operations.ts'
import { createInstantAnswer } from '../http/output/instant.ts'
import { type Answer, createHandler, OTHER_HOST } from '../http/server/handler.ts'
import { createRouteTable } from '../http/server/methods.ts'
import { recallAccount } from '../http/server/request-facts.ts'
import { LEAVE_MIN_MS, listen } from '../http/server/server.ts'
import { createSlowLane } from '../http/server/slow-lane.ts'
import { traceRequests } from '../http/server/trace-requests.ts'
import type { JobOutcome } from '../jobs/runner.ts'
import { once } from '../lib/flow/memoize.ts'
import { limitKeyOf, networkOf, parseClientAddress } from '../lib/net/addresses.ts'
import { lowerHelpersPriority } from '../lib/thread-priority.ts'
import { traceQueries } from '../lib/tracing/tracing.ts'
import { VERSION } from '../lib/version.ts'
import { startJobs } from '../worker/start-jobs.ts'
import { type CommandContext, embeddedFolder, prepare } from './context.ts'
import { requireInstallation } from './require-installation.ts'

const FORCE_EXIT_AFTER_MS = 3000

export interface RunningServer {
  url: string
  deps: Deps
  app: App
  stop(): Promise<void>
  /** Rejects when a part that should run forever has ended. */
  failed: Promise<never>
}

export interface ServeOptions {
  /** Whether the role's jobs run; tests turn this off and run jobs one by one. */
  runsJobs?: boolean
  /** How long statements wait and when the pool counts as stuck; shorter in tests of that. */
  poolTimes?: PoolTimes & Partial<WatchTimes>
  /** How long requests are still taken after the end began; none where nobody asks any more. */
  leaveMs?: number
}

/** Starts the parts in the order of their dependencies, and stops them in the opposite order. */
export async function startServer(
  context: CommandContext,
  { runsJobs = true, poolTimes, leaveMs }: ServeOptions = {},
): Promise<RunningServer> {
  const { parsed, log } = context
  const cleanup = new AsyncDisposableStack()
  try {
    cleanup.use(handleUnawaitedOutages(log))
    const { host, port, reusePort } = parsed
    const listener = listen({
      host,
      port,
      reusePort,
      leaveMs: leaveMs ?? Math.max(parsed.stopDelay * 1000, LEAVE_MIN_MS),
      log,
    })
    cleanup.defer(() => listener.stop())
    const { config, embedded } = await prepare(context, listener.port)
    const sharedDomain = describeSharedDomain(config)
    if (sharedDomain !== null) log.warn(sharedDomain)
    const kept = embedded ? await keepEmbeddedRunning(embedded, embeddedFolder(parsed), log) : null
    if (kept) cleanup.defer(() => kept.stop())
    // The routes load while the database responds.
    const [{ createApp }] = await Promise.all([import('../app.ts'), migrateDatabase(config.databaseUrl)])
    const deps = await createDeps(config, log, poolTimes)
    cleanup.defer(() => deps.dispose())
    const pool = watchPool(deps.database, config.databaseUrl, log, poolTimes)
    cleanup.defer(() => pool.stop())
    const recent = createRecentRequests()
    const { isStopping } = listener
    // The routes are made while the installation is looked up.
    const [{ app, play }] = await Promise.all([
      createApp(deps, { isStopping, isStuck: pool.isStuck, recent }),
      requireInstallation(deps),
    ])
    const { metricsPort } = config
    // The libraries of metrics and traces are loaded only where they are set.
    const metrics =
      metricsPort === null ? null : (await import('../http/metrics.ts')).startMetrics(deps, metricsPort)
    if (metrics) cleanup.defer(() => metrics.stop())
    const tracing =
      config.traces && (await import('../lib/tracing/tracing-otel.ts')).createTracing(config.traces, log)
    if (tracing) {
      cleanup.defer(() => tracing.stop())
      traceQueries(deps.db, tracing)
      deps.replica?.onOpen((db) => traceQueries(db, tracing))
    }
    const onAnswer = (answer: Answer) => {
      recent.add(answer)
      metrics?.onAnswer(answer)
    }
    const watch = { isStopping, onAnswer }
    const slowLane = createSlowLane({
      accountOf: recallAccount,
      senderOf(request) {
        const socketAddress = () => listener.server.requestIP(request)?.address
        const address = parseClientAddress(request.headers, socketAddress, config.trustProxy)
        const isDirect = config.trustProxy === 0 || !request.headers.has('x-forwarded-for')
        // This may be a proxy that TRUST_PROXY does not count, with every visitor behind it.
        if (isDirect && isInsideAddress(address)) return null
        const credential = findCredential(request.headers)
        return { address: limitKeyOf(address), network: networkOf(address), credential }
      },
    })
    const otherHosts = createPlayHosts(config, play, listener.server)
    const handle = createHandler(app, {
      ...watch,
      log,
      slowLane,
      otherHosts,
      traceId: tracing?.activeTraceId,
    })
    const respondAlive = createInstantAnswer(config, '/health', ALIVE, watch)
    const routeTable = once(() => createRouteTable(app.routes))
    const routeOf = (request: Request) =>
      otherHosts.labelOf(request) === null ? routeTable()(pathOf(request.url)) : OTHER_HOST
    listener.attach(tracing ? traceRequests(handle, tracing, routeOf) : handle, {
      '/health': (request) => {
        const isInstant = !pool.isStuck() && otherHosts.labelOf(request) === null
        return isInstant ? respondAlive(request) : handle(request)
      },
    })
    app.server = listener.server
    cleanup.use(lowerHelpersPriority())
    const onFinished = (outcome: JobOutcome) => {
      metrics?.onJobFinished(outcome)
      tracing?.recordJob(outcome)
    }
    const jobs = runsJobs ? await startJobs(deps, config.role, onFinished) : null
    if (jobs) cleanup.defer(() => jobs.stop())
    cleanup.defer(() => listener.stop())
    log.info('Playshelf is ready', { url: config.baseUrl, role: config.role, version: VERSION })
    return {
      url: config.baseUrl,
      deps,
      app,
      stop: () => cleanup.disposeAsync(),
      failed: Promise.race([
        ...(kept ? [kept.failed] : []),
        ...(jobs ? [rejectUnless(listener.isStopping, jobs.ended)] : []),
      ]),
    }
  } catch (error) {
    await cleanup.disposeAsync()
    throw error
  }
}

/** The runner ends when the server stops; ending earlier is a fault. */
function rejectUnless(isStopping: () => boolean, ended: Promise<void>): Promise<never> {
  const failed = new Promise<never>((_, reject) => {
    const end = (reason?: unknown) => {
      if (!isStopping()) reject(new Error('The job runner ended unexpectedly', { cause: reason }))
    }
    ended.then(() => end(), end)
  })
  failed.catch(() => undefined)
  return failed
}

/** Serves until SIGTERM or SIGINT, or until a part fails. A second signal after a while exits immediately. */
export async function runUntilSignal(
  context: CommandContext,
  afterStart?: (deps: Deps, url: string) => Promise<void>,
): Promise<number> {
  const signal = Promise.withResolvers<string>()
  let firstAt = 0
  const onSignal = (name: string) => {
    // Ctrl-C can arrive twice, from the terminal and from the parent process: shortly after the first it is ignored.
    if (firstAt > 0 && Date.now() - firstAt > FORCE_EXIT_AFTER_MS) process.exit(130)
    firstAt ||= Date.now()
    signal.resolve(name)
  }
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)

  const server = await startServer(context)
  try {
    await afterStart?.(server.deps, server.url)
    const name = await Promise.race([signal.promise, server.failed])
    context.log.info('Stopping after requests and jobs in flight have finished', { signal: name })
    return 0
  } finally {
    await server.stop()
    context.log.info('Stopped')
  }
}
