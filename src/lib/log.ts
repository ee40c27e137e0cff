import { writeSync } from 'node:fs'

import { once } from './flow/memoize.ts'
import { toPrintableLine } from './text/characters.ts'
import { redact, redactText } from './text/redact.ts'

type LogFields = Record<string, unknown>
export const LOG_THRESHOLDS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogThreshold = (typeof LOG_THRESHOLDS)[number]
type LogLevel = Exclude<LogThreshold, 'silent'>

export interface Logger {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  enabled(level: LogLevel): boolean
  child(fields: LogFields): Logger
}

interface LoggerOptions {
  level: LogThreshold
  /** Writes a readable form for terminals instead of JSON lines. */
  pretty: boolean
  write?: (line: string) => void
}

export function createLogger(options: LoggerOptions, bound: LogFields = {}): Logger {
  const write = options.write ?? writeSoon
  const format = options.pretty ? formatPretty : formatJson
  const threshold = LOG_THRESHOLDS.indexOf(options.level)
  const safeBound = redact(bound)
  const enabled = (level: LogLevel) => LOG_THRESHOLDS.indexOf(level) >= threshold
  const log = (level: LogLevel) => {
    if (!enabled(level)) return () => undefined
    return (message: string, fields?: LogFields) => {
      const line = { time: currentTime(), level, message: redactText(message), ...safeBound }
      write(format(fields ? redact(fields, line) : line))
    }
  }
  return {
    debug: log('debug'),
    info: log('info'),
    warn: log('warn'),
    error: log('error'),
    enabled,
    child: (fields) => createLogger(options, { ...bound, ...fields }),
  }
}

let waiting = ''
const flushAtExit = once(() => process.on('exit', writeLast))

/**
 * Lines of one event loop iteration share one write: separate writes are a fifth of a request's cost under
 * load.
 */
function writeSoon(line: string): void {
  if (waiting === '') {
    flushAtExit()
    setImmediate(() => {
      process.stdout.write(waiting)
      waiting = ''
    })
  }
  waiting += line
}

/** The last lines often say why the process ended. */
function writeLast(): void {
  if (waiting !== '') writeSync(process.stdout.fd, waiting)
}

let [lastMs, lastText] = [0, '']

/**
 * Formatted once per millisecond: under load many lines share one, and formatting is a quarter of a line's
 * cost.
 */
function currentTime(): string {
  const now = Date.now()
  if (now !== lastMs) [lastMs, lastText] = [now, new Date(now).toISOString()]
  return lastText
}

interface Line extends LogFields {
  time: string
  level: LogLevel
  message: string
}

function formatJson(line: Line): string {
  return `${JSON.stringify(line)}\n`
}

const COLOUR = { debug: '\u001B[2m', info: '\u001B[36m', warn: '\u001B[33m', error: '\u001B[31m' } as const

function formatPretty({ time, level, message, ...fields }: Line): string {
  const details = Object.entries(fields)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
  return `\u001B[2m${time.slice(11, 19)}\u001B[0m ${COLOUR[level]}${level.padEnd(5)}\u001B[0m ${toPrintableLine(message)} \u001B[2m${toPrintableLine(details)}\u001B[0m\n`
}
