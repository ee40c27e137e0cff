export interface TraceSettings {
  url: string
  headers: Record<string, string>
  serviceName: string
  /** Share of requests that are traced, 0 to 1. */
  ratio: number
}

interface RequestFacts {
  method: string
  /** The route's pattern; null when no route matches. */
  route: string | null
  scheme: string
  /** The W3C header, as received. */
  traceparent: string | null
}

interface JobFacts {
  task: string
  outcome: string
  seconds: number
}

/** Ends the span, with the error if the query failed. */
type EndQuery = (error?: unknown) => void

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

type Call = (...values: unknown[]) => unknown

/** The part of the database driver that runs every statement of the query builder. */
interface SqlClient {
  unsafe: Call
  begin?: Call
  savepoint?: Call
}

/**
 * Wraps each statement in a span by replacing three functions of this client; without tracing nothing is
 * replaced. The recorded text has placeholders instead of values.
 */
export function traceQueries(database: object, tracing: Pick<Tracing, 'startQuery'>): void {
  if (!('$client' in database) || !isSqlClient(database.$client)) {
    throw new Error('The query builder no longer shows its driver: queries cannot be traced')
  }
  observe(database.$client)

  function observe(client: SqlClient): void {
    const { unsafe, begin, savepoint } = client
    client.unsafe = (text, ...rest) => {
      const query = unsafe(text, ...rest)
      const end = typeof text === 'string' ? tracing.startQuery(text) : null
      if (end && query instanceof Promise) watch(query, end)
      return query
    }
    if (begin) client.begin = (...values) => begin(...values.map(observeInside))
    if (savepoint) client.savepoint = (...values) => savepoint(...values.map(observeInside))
  }

  /** A transaction passes its callback a separate client. */
  function observeInside(value: unknown): unknown {
    if (typeof value !== 'function') return value
    return (client: unknown, ...rest: unknown[]): unknown => {
      if (isSqlClient(client)) observe(client)
      return value(client, ...rest)
    }
  }
}

/** The driver sends a statement when its own `then` is called, so this observes it with the plain one. */
function watch(query: Promise<unknown>, end: EndQuery): void {
  void Promise.prototype.then.call(
    query,
    () => end(),
    (error: unknown) => end(error),
  )
}

function isSqlClient(value: unknown): value is SqlClient {
  return typeof value === 'function' && 'unsafe' in value && typeof value.unsafe === 'function'
}
