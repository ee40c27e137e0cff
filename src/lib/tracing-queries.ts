import type { EndQuery, Tracing } from './tracing.ts'

type Call = (...values: unknown[]) => unknown

/** The part of the database driver that every statement of the query builder passes through. */
interface SqlClient {
  unsafe: Call
  begin?: Call
  savepoint?: Call
}

/**
 * Puts a span around each statement by replacing three functions of this one client; without traces nothing is
 * replaced. The text has placeholders where the values were.
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

  /** A transaction hands its work a client of its own. */
  function observeInside(value: unknown): unknown {
    if (typeof value !== 'function') return value
    return (client: unknown, ...rest: unknown[]): unknown => {
      if (isSqlClient(client)) observe(client)
      return value(client, ...rest)
    }
  }
}

/** The driver sends a statement when its own `then` is called; the plain one only looks on. */
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
