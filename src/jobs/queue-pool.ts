import { Pool } from 'pg'

import type { Logger } from '../lib/log.ts'

/** The statements of the queue are short: one without a response for this long has a dead connection. */
const QUERY_TIMEOUT_MS = 35_000

/** Planning the statement that looks for a job takes longer than running it, and the queue may outgrow its statistics. */
const QUEUE_SETTINGS = ['synchronous_commit=off', 'plan_cache_mode=force_generic_plan', 'enable_seqscan=off']

/**
 * The pool that the library would make removes its error listeners before its connections are closed: one that the
 * database cuts in between would end the process.
 */
export function openQueuePool(databaseUrl: string, max: number, log: Logger): Pool {
  const pool = new Pool({ connectionString: forQueue(databaseUrl), max })
  // Each connection reports its own error.
  pool.on('error', () => undefined)
  pool.on('connect', (client) =>
    client.on('error', ({ message }) => log.error('The job queue lost a connection', { reason: message })),
  )
  return pool
}

/**
 * Without waiting for the disk: a crash of the database may forget that a job was taken or done a moment ago, and then
 * it runs again, as after a crash of this process.
 */
function forQueue(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  url.searchParams.set('query_timeout', String(QUERY_TIMEOUT_MS))
  const given = url.searchParams.get('options') ?? ''
  url.searchParams.set(
    'options',
    [given, ...QUEUE_SETTINGS.map((setting) => `-c ${setting}`)].join(' ').trim(),
  )
  return url.href
}
