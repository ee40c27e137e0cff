import type { Logger } from '../lib/log.ts'

const CONNECTION_LOST = 'CONNECTION_LOST'
const CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  CONNECTION_LOST,
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '08000',
  '08003',
  '08006',
])

const POOL_BUSY = 'POOL_BUSY'
/** Lock timeout, statement timeout, idle transaction timeout, deadlock, or no memory left. */
const BUSY_CODES = new Set([POOL_BUSY, '55P03', '57014', '25P03', '40P01', '53200'])

/** The database stopped responding on the connection of a transaction. */
export class ConnectionLostError extends Error {
  override readonly name = 'ConnectionLostError'
  readonly code = CONNECTION_LOST
  constructor() {
    super('The database stopped responding')
  }
}

/** No pooled connection became free in time. */
export class PoolBusyError extends Error {
  override readonly name = 'PoolBusyError'
  readonly code = POOL_BUSY

  constructor(waitedMs: number) {
    super(`No database connection became free within ${waitedMs / 1000} seconds`)
  }
}

/** Whether the database could not be reached. Drizzle wraps the driver's error in its own. */
export function isConnectionError(error: unknown): boolean {
  return hasCode(error, (code) => CONNECTION_CODES.has(code))
}

/** Whether the database or the pool did not respond in time. */
export function isBusyError(error: unknown): boolean {
  return hasCode(error, (code) => BUSY_CODES.has(code))
}

/** Whether the disk of the database is full: nothing can be saved, but everything can be read. */
export function isDiskFullError(error: unknown): boolean {
  return hasCode(error, (code) => code === '53100')
}

/** Whether a statement failed for the state of the database, so that it may succeed later. */
export function isOutageError(error: unknown): boolean {
  return isConnectionError(error) || isBusyError(error) || isDiskFullError(error)
}

export function isLockTimeout(error: unknown): boolean {
  return hasCode(error, (code) => code === '55P03')
}

export function isUniqueViolation(error: unknown): boolean {
  return hasCode(error, (code) => code === '23505')
}

/** A row that this one refers to was deleted. */
export function isForeignKeyViolation(error: unknown): boolean {
  return hasCode(error, (code) => code === '23503')
}

/** A text with a NUL character, as text and inside JSON. */
export function isNulError(error: unknown): boolean {
  return hasCode(error, (code) => code === '22021' || code === '22P05')
}

function hasCode(error: unknown, matches: (code: string) => boolean): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    if ('code' in current && typeof current.code === 'string' && matches(current.code)) return true
  }
  return false
}

/** Set by the queue's own driver, which gives this error no code. */
const TERMINATED = 'Connection terminated'

/**
 * The drivers and the queue send some statements without awaiting them, such as the one that reads the types
 * of a new connection. Without a database their unhandled rejections would end the process. Every thread
 * needs its own handler. Test: "a statement that nobody waits for does not end the process".
 */
export function handleUnawaitedOutages(log: Logger): Disposable {
  const onRejection = (error: unknown) => {
    if (!isOutage(error)) throw error
    log.warn('A statement that nobody waited for failed', { error })
  }
  process.on('unhandledRejection', onRejection)
  return { [Symbol.dispose]: () => void process.off('unhandledRejection', onRejection) }
}

function isOutage(error: unknown): boolean {
  return isConnectionError(error) || (error instanceof Error && error.message.startsWith(TERMINATED))
}
