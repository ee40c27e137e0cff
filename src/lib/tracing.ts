import type { Logger } from './log.ts'

export interface TraceSettings {
  url: string
  headers: Record<string, string>
  serviceName: string
  /** Share of requests that are traced, 0 to 1. */
  ratio: number
}

export interface RequestFacts {
  method: string
  /** The route's pattern; null when no route answers the path. */
  route: string | null
  scheme: string
  /** The W3C header, as sent. */
  traceparent: string | null
}

export interface JobFacts {
  task: string
  outcome: string
  seconds: number
}

/** Told how it ended: the error, or nothing. */
export type EndQuery = (error?: unknown) => void

export interface Tracing {
  /** Whatever `work` does is a part of this request's trace. */
  traceRequest(facts: RequestFacts, work: () => Promise<Response>): Promise<Response>
  /** null outside of a request, and for requests that were not chosen. */
  startQuery(text: string): EndQuery | null
  /** Told when a job has ended: it may have run in another thread. */
  recordJob(facts: JobFacts): void
  activeTraceId(): string | undefined
  /** Sends what is left, but does not wait for a collector that is slow or gone. */
  stop(): Promise<void>
}

/** null unless configured: the libraries are loaded only when there is someone to send traces to. */
export async function startTracing(settings: TraceSettings | null, log: Logger): Promise<Tracing | null> {
  if (settings === null) return null
  const { createTracing } = await import('./tracing-otel.ts')
  return createTracing(settings, log)
}
