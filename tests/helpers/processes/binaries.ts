import { cp, mkdir, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'

import { waitFor } from '../wait.ts'

const ROOT = join(import.meta.dir, '../../..')
const BUILD_MS = 120_000
const SOURCES = ['src', 'drizzle', 'infra', 'package.json', 'tsconfig.json', 'bunfig.toml']
const POSTGRES = join(import.meta.dir, 'embedded-postgres-preload.ts')
/** The folder of a copy of the sources that is gone before the binaries run. */
export const BUILD_FOLDER = 'where-it-was-built'

export interface Binaries {
  store: string
  uploader: string
}

/** As `bun run build` makes them: once for all files of a run, by the process that needs them first. */
export async function shareBinaries(dir: string | undefined = process.env.TEST_DIR): Promise<Binaries> {
  if (!dir) throw new Error('TEST_DIR is not set: run the tests with `bun run test [file]`')
  const folder = join(dir, 'binaries')
  const binaries = { store: join(folder, 'playshelf'), uploader: join(folder, 'shelf') }
  const done = join(folder, 'done')
  const isFirst = await mkdir(folder).then(
    () => true,
    () => false,
  )
  if (isFirst) {
    await build(join(folder, BUILD_FOLDER), binaries.store)
    await Bun.write(done, '')
  }
  await waitFor('The build of the binaries', () => Bun.file(done).exists(), BUILD_MS)
  return binaries
}

/** Builds in a copy of the sources at `folder`, which `change` may alter first. */
export async function build(
  folder: string,
  store: string,
  change?: (folder: string) => Promise<void>,
): Promise<void> {
  await Promise.all(SOURCES.map((name) => cp(join(ROOT, name), join(folder, name), { recursive: true })))
  await change?.(folder)
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const child = Bun.spawn([process.execPath, 'infra/scripts/build.ts', store], {
    cwd: folder,
    stdout: 'ignore',
  })
  if ((await child.exited) !== 0) throw new Error('The binaries could not be built')
  await rm(folder, { recursive: true })
}

/** The command that starts the uploader: the binary if the runner built one, which needs a quarter of the time. */
export function shelfCommand(): string[] {
  const binary = process.env.TEST_SHELF
  return binary ? [binary] : [process.execPath, join(ROOT, 'src/cli/main.ts')]
}

interface Start {
  command: string[]
  env: Record<string, string>
}

/**
 * How to start the program with these settings: as the binary if the runner built one, which needs a third of the time
 * of the sources. It has no embedded Postgres, so without another database the installed one is loaded into it.
 */
export function startOf(args: readonly string[], settings: Record<string, string>): Start {
  const binary = process.env.TEST_PROGRAM
  if (!binary) return { command: ['bun', join(ROOT, 'src/main.ts'), ...args], env: settings }
  const env = { ...(!settings.DATABASE_URL && { BUN_OPTIONS: `--preload=${POSTGRES}` }), ...settings }
  return { command: [binary, ...args], env }
}
