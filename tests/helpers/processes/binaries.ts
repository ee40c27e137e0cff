import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { waitFor } from '../wait.ts'

const ROOT = join(import.meta.dir, '../../..')
const BUILD_MS = 120_000

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
    await build(binaries.store)
    await Bun.write(done, '')
  }
  await waitFor('The build of the binaries', () => Bun.file(done).exists(), BUILD_MS)
  return binaries
}

async function build(store: string): Promise<void> {
  const child = Bun.spawn([process.execPath, 'infra/scripts/build.ts', store], {
    cwd: ROOT,
    stdout: 'ignore',
  })
  if ((await child.exited) !== 0) throw new Error('The binaries could not be built')
}

/** The command that starts the uploader: the binary if the runner built one, which needs a quarter of the time. */
export function shelfCommand(): string[] {
  const binary = process.env.TEST_SHELF
  return binary ? [binary] : [process.execPath, join(ROOT, 'src/cli/main.ts')]
}

/**
 * The command that starts the program with these settings: the binary if the runner built one, which needs a third of
 * the time of the sources. The binary looks for the embedded Postgres beside itself, so it needs another database.
 */
export function programCommand(env: Record<string, string>): string[] {
  const binary = process.env.TEST_PROGRAM
  return binary && env.DATABASE_URL ? [binary] : ['bun', join(ROOT, 'src/main.ts')]
}
