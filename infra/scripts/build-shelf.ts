import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { CliTarget } from '../../src/domain/builds/platforms.ts'

const ROOT = join(import.meta.dir, '../..')

/** Builds the uploader for this machine or another system. Returns the path of the binary. */
export async function buildShelf(outfile: string, target?: CliTarget): Promise<string> {
  await using runtime = target === undefined ? null : await loadRuntime(target)
  const result = await Bun.build({
    entrypoints: [join(ROOT, 'src/cli/main.ts'), join(ROOT, 'src/lib/sha256/thread.ts')],
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

/** Installs the runtime of another system from its npm package, in the version that runs now. */
async function loadRuntime(target: CliTarget): Promise<AsyncDisposable & { path: string }> {
  const [system = '', cpu = ''] = target.split('-')
  const name = `@oven/bun-${target.replace('arm64', 'aarch64')}`
  const folder = await mkdtemp(join(tmpdir(), 'playshelf-runtime-'))
  await Bun.write(join(folder, 'package.json'), '{}')
  const os = `--os=${system === 'windows' ? 'win32' : system}`
  const install = ['add', '--ignore-scripts', os, `--cpu=${cpu}`, `${name}@${Bun.version}`]
  const child = Bun.spawn([process.execPath, ...install], { cwd: folder, stdout: 'ignore', stderr: 'pipe' })
  const [errors, code] = await Promise.all([child.stderr.text(), child.exited])
  if (code !== 0)
    throw new Error(`${name} could not be installed. Check the network, then build again.\n${errors}`)
  return {
    path: join(folder, 'node_modules', name, 'bin', system === 'windows' ? 'bun.exe' : 'bun'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
