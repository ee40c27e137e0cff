import { join } from 'node:path'

import { completeConfig, type Config, type ParsedConfig } from '../config.ts'
import { type EmbeddedPostgres, openEmbeddedPostgres } from '../db/embedded/embedded.ts'
import { holdServeLock } from '../db/locks/serve-lock.ts'
import { migrateDatabase } from '../db/migrate.ts'
import { createDeps, type Deps } from '../deps.ts'
import { createLogger, type Logger } from '../lib/log.ts'
import { readOrCreateSecretKey } from '../secret-key.ts'

export interface CommandContext {
  parsed: ParsedConfig
  log: Logger
}

export function createContext(parsed: ParsedConfig): CommandContext {
  return { parsed, log: createLogger({ level: parsed.logLevel, pretty: process.stdout.isTTY }) }
}

export interface Prepared {
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
