import { migrateDatabase } from '../db/migrate.ts'
import { reencryptSecrets } from '../db/reencrypt.ts'
import { createDeps, type Deps } from '../deps.ts'
import { reindex } from '../features/catalog/search/reindex.ts'
import { plural } from '../lib/text/show.ts'
import { type CommandContext, createProgress, prepare, releaseEmbedded } from './context.ts'

/** Rebuilds the search index in every configured engine. */
export async function runReindex(deps: Deps): Promise<string> {
  const count = await reindex(deps, { onProgress: createProgress('Indexing') })
  const engines = deps.config.meili ? 'Postgres and Meilisearch' : 'Postgres'
  return `The search index in ${engines} is up to date${count > 0 ? `: ${plural(count, 'listing')}` : ''}.`
}

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
