import { join } from 'node:path'

import { build } from '../../helpers/processes/binaries.ts'
import { addNextMigration } from '../../helpers/processes/next-migration.ts'

export const NEXT_VERSION = '99.0.0'

/** Builds the next version of the program in an empty folder. Returns the command that serves it. */
export async function buildNextVersion(dir: string): Promise<string[]> {
  const store = join(dir, 'playshelf')
  await build(join(dir, 'sources'), store, async (folder) => {
    const file = Bun.file(join(folder, 'package.json'))
    await file.write(JSON.stringify({ ...(await file.json()), version: NEXT_VERSION }))
    await addNextMigration(join(folder, 'drizzle'))
  })
  return [store, 'serve']
}
