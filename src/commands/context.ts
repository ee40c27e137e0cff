import { constants, setPriority } from 'node:os'
import { join } from 'node:path'

import { completeConfig, type Config, type ParsedConfig, readOrCreateSecretKey } from '../config/config.ts'
import { type EmbeddedPostgres, openEmbeddedPostgres } from '../db/embedded/embedded.ts'
import { holdServeLock } from '../db/locks/locks.ts'
import { migrateDatabase } from '../db/migrate.ts'
import { createDeps, type Deps } from '../deps.ts'
import { createLogger, type Logger } from '../lib/log.ts'
import { formatDuration } from '../lib/text/show.ts'

export interface CommandContext {
  parsed: ParsedConfig
  log: Logger
}

export function createContext(parsed: ParsedConfig): CommandContext {
  return { parsed, log: createLogger({ level: parsed.logLevel, pretty: process.stdout.isTTY }) }
}

interface Prepared {
  config: Config
  /** null with an external Postgres. */
  embedded: EmbeddedPostgres | null
}

export function embeddedFolder(parsed: ParsedConfig): string {
  return join(parsed.dataDir, 'postgres')
}

/** Ensures that there is a database and a secret key: starts the embedded Postgres where none is configured. */
export async function prepare({ parsed }: CommandContext, port: number): Promise<Prepared> {
  const secretKey = parsed.secretKey ?? (await readOrCreateSecretKey(parsed.dataDir))
  const embedded = parsed.databaseUrl === null ? await openEmbeddedPostgres(embeddedFolder(parsed)) : null
  const databaseUrl = parsed.databaseUrl ?? embedded?.url ?? ''
  return { config: completeConfig(parsed, { port, databaseUrl, secretKey }), embedded }
}

/** Stops the Postgres that was started for a command, unless a server that started meanwhile uses it. */
export async function releaseEmbedded(
  parsed: ParsedConfig,
  embedded: EmbeddedPostgres | null,
): Promise<void> {
  if (!embedded?.started) return
  const lock = await holdServeLock(embedded.url, embeddedFolder(parsed)).catch(() => null)
  if (lock === null) return
  await embedded.stop()
  await lock.release()
}

/** For one-shot commands: opens and migrates everything, and always closes it again. */
export async function withDeps<Result>(
  context: CommandContext,
  work: (deps: Deps) => Promise<Result>,
): Promise<Result> {
  const { config, embedded } = await prepare(context, context.parsed.port)
  try {
    await migrateDatabase(config.databaseUrl)
    const deps = await createDeps(config, context.log)
    try {
      return await work(deps)
    } finally {
      await deps.dispose()
    }
  } finally {
    await releaseEmbedded(context.parsed, embedded)
  }
}

/**
 * Lets the servers of the same machine go first. The priority is lowered after the embedded Postgres was started, which
 * would inherit it.
 */
export function inBackground<Result>(work: (deps: Deps) => Promise<Result>): (deps: Deps) => Promise<Result> {
  return async (deps) => {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
    return await work(deps)
  }
}

const REPORT_EVERY_MS = 3000

interface Progress {
  done: number
  total: number
}

/** Prints how far the work is, regularly. The speed is that since the start of this process. */
export function createProgress(doing: string): (progress: Progress) => void {
  let start: { at: number; done: number } | null = null
  let reportedAt = 0
  return ({ done, total }) => {
    const now = performance.now()
    start ??= { at: now, done }
    if (reportedAt > 0 && now - reportedAt < REPORT_EVERY_MS && done < total) return
    reportedAt = now
    console.log(`${doing}: ${describeProgress({ done, total }, done - start.done, now - start.at)}`)
  }
}

/** `recent` of the listings were done within `elapsedMs`. */
export function describeProgress({ done, total }: Progress, recent: number, elapsedMs: number): string {
  const percent = total === 0 ? 100 : Math.floor((100 * done) / total)
  const far = `${format(done)} of ${format(total)} listings (${percent} %)`
  if (recent <= 0 || elapsedMs <= 0) return far
  const perSecond = (1000 * recent) / elapsedMs
  const speed = `${far}, ${format(Math.round(perSecond))} per second`
  return done >= total ? speed : `${speed}, about ${formatDuration((total - done) / perSecond)} left`
}

function format(count: number): string {
  return count.toLocaleString('en')
}
