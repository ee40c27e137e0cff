import type { Deps } from '../../deps.ts'
import type { JobOutcome } from '../../jobs/runner.ts'
import { bindPort } from '../server/bind-port.ts'
import type { Answer } from '../server/handler.ts'
import type { Metrics } from './metrics-registry.ts'

export interface RunningMetrics {
  onAnswer(answer: Answer): void
  onJobFinished(outcome: JobOutcome): void
  stop(): Promise<void>
}

/** Returns null without METRICS_PORT: nothing is recorded, and the library is not loaded. */
export async function startMetrics(deps: Deps): Promise<RunningMetrics | null> {
  const { host, metricsPort, reusePort } = deps.config
  if (metricsPort === null) return null
  const { createMetrics } = await import('./metrics-registry.ts')
  const metrics = createMetrics(deps)
  const server = bindPort('METRICS_PORT', metricsPort, () =>
    listenForMetrics(metrics, { hostname: host, port: metricsPort, reusePort }),
  )
  deps.log.info('Metrics are served', { url: new URL('/metrics', server.url).href })
  return {
    onAnswer: ({ method, route, status, seconds }) => metrics.countRequest(method, route, status, seconds),
    onJobFinished: metrics.countJob,
    stop: () => server.stop(true),
  }
}

/** A separate listener: the metrics need no password, so they must not be on the public address. */
function listenForMetrics(
  metrics: Metrics,
  address: { hostname: string; port: number; reusePort: boolean },
): Bun.Server<undefined> {
  return Bun.serve({
    ...address,
    development: false,
    routes: {
      '/metrics': {
        GET: async () =>
          new Response(await metrics.render(), { headers: { 'content-type': metrics.contentType } }),
      },
    },
    fetch: () => new Response('Only GET /metrics is answered here.\n', { status: 404 }),
  })
}
