export interface TraceSettings {
  url: string
  headers: Record<string, string>
  serviceName: string
  /** Share of requests that are traced, 0 to 1. */
  ratio: number
}

export interface RequestFacts {
  method: string
  /** The route's pattern; null when no route matches. */
  route: string | null
  scheme: string
  /** The W3C header, as received. */
  traceparent: string | null
}

export interface JobFacts {
  task: string
  outcome: string
  seconds: number
}

/** Ends the span, with the error if the query failed. */
export type EndQuery = (error?: unknown) => void

export interface Tracing {
  /** Everything `work` does belongs to this request's trace. */
  traceRequest(facts: RequestFacts, work: () => Promise<Response>): Promise<Response>
  /** null outside a request, and for requests that are not sampled. */
  startQuery(text: string): EndQuery | null
  /** Called after a job has ended: it may have run in another thread. */
  recordJob(facts: JobFacts): void
  activeTraceId(): string | undefined
  /** Sends the remaining spans, but does not wait for a slow or missing collector. */
  stop(): Promise<void>
}
