import { migrateDatabase } from '../db/migrate.ts'
import { reencryptSecrets } from '../db/reencrypt.ts'
import { createDeps } from '../deps.ts'
import { type CommandContext, prepare, releaseEmbedded } from './context.ts'

/** Migrates the schema, then re-encrypts secrets that still use SECRET_KEY_PREVIOUS. */
export async function runMigrate(context: CommandContext): Promise<string> {
  const { config, embedded } = await prepare(context, context.parsed.port)
  try {
    const outcome = await migrateDatabase(config.databaseUrl)
    const deps = await createDeps(config, context.log)
    const moved = await reencryptSecrets(deps)
    await deps.dispose()
    const schema =
      outcome === 'migrated' ? 'The database is migrated.' : 'The database was already up to date.'
    return moved === 0 ? schema : `${schema} ${moved} secrets were re-encrypted with the current SECRET_KEY.`
  } finally {
    await releaseEmbedded(context.parsed, embedded)
  }
}
