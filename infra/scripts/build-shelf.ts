import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { CliTarget } from '../../src/domain/cli-targets.ts'

const ROOT = join(import.meta.dir, '../..')

/** Builds the uploader for this machine or another system. Returns the path of the binary. */
export async function buildShelf(outfile: string, target?: CliTarget): Promise<string> {
  await using runtime = target === undefined ? null : await loadRuntime(target)
  const result = await Bun.build({
    entrypoints: [join(ROOT, 'src/cli/main.ts')],
    target: 'bun',
    format: 'esm',
    bytecode: true,
    minify: true,
    compile: {
      outfile,
      ...(target && runtime && { target: `bun-${target}`, executablePath: runtime.path }),
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
  })
  for (const log of result.logs) console.error(log)
  return outfile
}

/** Loads the runtime of another system from its npm package, in the version that runs now. */
async function loadRuntime(target: CliTarget): Promise<AsyncDisposable & { path: string }> {
  const name = `bun-${target.replace('arm64', 'aarch64')}`
  const url = `https://registry.npmjs.org/@oven/${name}/-/${name}-${Bun.version}.tgz`
  const response = await fetch(url)
  if (!response.ok)
    throw new Error(`${url} could not be loaded: ${response.status}. Check the network, then build again.`)
  const folder = await mkdtemp(join(tmpdir(), 'playshelf-runtime-'))
  await new Bun.Archive(await response.blob()).extract(folder)
  return {
    path: join(folder, 'package/bin', target.startsWith('windows') ? 'bun.exe' : 'bun'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
