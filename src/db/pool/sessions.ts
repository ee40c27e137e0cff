import { makePgArray } from 'drizzle-orm/pg-core'
import postgres from 'postgres'

const CONNECT_SECONDS = 10

interface SessionOptions {
  onclose?: () => void
  /** The types of postgres.js omit it, though its own `listen` uses it. */
  onnotify?: (channel: string, payload: string) => void
  backoff?: (attempts: number) => number
  /** Settings of the connection. */
  connection?: Record<string, string>
}

/**
 * One connection outside the pool that stays open until `end`, for what belongs to a database session (locks,
 * notifications) and for checks that must not wait for the pool. `name` is shown in pg_stat_activity.
 */
export function openSession(
  url: string,
  name: string,
  { connection, ...options }: SessionOptions = {},
): postgres.Sql {
  return postgres(url, {
    max: 1,
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: CONNECT_SECONDS,
    fetch_types: false,
    types: ARRAY_TYPES,
    onnotice: () => undefined,
    ...options,
    connection: { application_name: `playshelf ${name}`, ...connection },
  })
}

type ParseOne = (text: string) => string | number
const asText: ParseOne = (text) => text

/**
 * The arrays that statements send and receive, by the number that Postgres gives each of these types everywhere.
 * postgres.js would otherwise ask every new connection for all types, which takes as long as opening it.
 */
export const ARRAY_TYPES = {
  text: arrayType(1009, asText),
  uuid: arrayType(2951, asText),
  smallint: arrayType(1005, Number),
  integer: arrayType(1007, Number),
  /** Can be too large for a number. */
  bigint: arrayType(1016, asText),
}

function arrayType(number: number, parseOne: ParseOne): postgres.PostgresType {
  return {
    to: number,
    from: [number],
    // Drizzle writes the arrays of its columns itself.
    serialize: (value: unknown) => (Array.isArray(value) ? makePgArray(value) : value),
    parse: (text: string) => parseArray(text, parseOne),
  }
}

const VALUE = /"((?:[^"\\]|\\.)*)"|[^,]+/gs
const ESCAPED = /\\(.)/gs

/** Reads an array of one dimension. */
function parseArray(text: string, parseOne: ParseOne): (string | number | null)[] {
  const list = text.slice(1, -1)
  if (list === '') return []
  const parse = (value: string) => (value === 'NULL' ? null : parseOne(value))
  if (!list.includes('"')) return list.split(',').map(parse)
  return Array.from(list.matchAll(VALUE), ([value, quoted]) =>
    quoted === undefined ? parse(value) : parseOne(quoted.replaceAll(ESCAPED, '$1')),
  )
}

const SECONDS_MAX = 1

/** The driver's own pauses grow to 20 seconds, which would delay the recovery after an outage. */
export function reconnectPause(attempts: number): number {
  return Math.random() * Math.min(SECONDS_MAX, 3 ** attempts / 100)
}
