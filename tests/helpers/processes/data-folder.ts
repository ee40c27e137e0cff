import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openEmbeddedPostgres } from '../../../src/db/embedded/embedded.ts'
import { migrateDatabase } from '../../../src/db/migrate.ts'

/** The whole run removes it; alone, a file uses one of its own process. */
const TEMPLATE = join(
  process.env.TEST_DIR ?? tmpdir(),
  `data-folder${process.env.TEST_DIR ? '' : `-${process.pid}`}`,
)

/**
 * Makes `dataDir` a data folder whose embedded database exists and is migrated, but which no server has used: it has
 * neither a key nor an installation. Copied from one that is made once, because initdb and the migrations take seconds.
 */
export async function createDataFolder(dataDir: string): Promise<void> {
  await (making ??= makeTemplate())
  await mkdir(dataDir, { recursive: true, mode: 0o755 })
  await Bun.$`cp -a ${join(TEMPLATE, 'postgres')} ${dataDir}`
}

let making: Promise<void> | undefined

async function makeTemplate(): Promise<void> {
  if (await Bun.file(join(TEMPLATE, 'postgres/password')).exists()) return
  const own = await mkdtemp(`${TEMPLATE}-`)
  const { url, stop } = await openEmbeddedPostgres(join(own, 'postgres'))
  await migrateDatabase(url)
  await stop()
  // Another worker may have been faster.
  await rename(own, TEMPLATE).catch(() => rm(own, { recursive: true }))
}
