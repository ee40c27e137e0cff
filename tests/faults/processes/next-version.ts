import { cp, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { addNextMigration } from '../../helpers/processes/next-migration.ts'

const ROOT = join(import.meta.dir, '../../..')

export const NEXT_VERSION = '99.0.0'

/** Writes the next version of the program into an empty folder. Returns the command that serves it. */
export async function writeNextVersion(dir: string): Promise<string[]> {
  for (const name of ['src', 'drizzle', 'tsconfig.json']) {
    await cp(join(ROOT, name), join(dir, name), { recursive: true })
  }
  await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'))
  const program = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as object
  await writeFile(join(dir, 'package.json'), JSON.stringify({ ...program, version: NEXT_VERSION }))
  await addNextMigration(join(dir, 'drizzle'))
  return ['bun', join(dir, 'src/main.ts'), 'serve']
}
