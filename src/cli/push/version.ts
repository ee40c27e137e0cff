import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'

import { VERSION_MAX } from '../../domain/builds/build-fields.ts'
import type { ShelfFile } from '../../domain/builds/shelf-file.ts'
import { CliError } from '../cli-error.ts'

/** The version from the command line or from `shelf.json`: a text, a file, or the newest tag. */
export async function readVersion(
  flag: string | undefined,
  source: ShelfFile['version'],
  folder: string,
): Promise<string> {
  const version = flag ?? (await readSource(source, folder))
  if (version.length > 0 && version.length <= VERSION_MAX) return version
  throw new CliError('usage', `The version "${version}" must have 1 to ${VERSION_MAX} characters.`)
}

async function readSource(source: ShelfFile['version'], folder: string): Promise<string> {
  if (typeof source === 'string') return source
  if (source === undefined) {
    throw new CliError('usage', 'The version is missing.', {
      hint: 'Use --version 1.2.0, or set "version" in shelf.json.',
    })
  }
  if ('git' in source) return await describeCommit(folder)
  const text = await readFile(resolve(folder, source.file), 'utf8')
  return text.split('\n', 1)[0]?.trim() ?? ''
}

async function describeCommit(folder: string): Promise<string> {
  const git = Bun.which('git')
  if (git === null) throw new CliError('usage', 'The version comes from git, but git is not installed.')
  const child = Bun.spawn([git, 'describe', '--tags'], { cwd: folder, stdout: 'pipe', stderr: 'pipe' })
  const [text, problem, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code === 0) return text.trim().replace(/^v(?=\d)/, '')
  throw new CliError('usage', `The version comes from git, but git found none: ${problem.trim()}`, {
    hint: 'Tag a commit, such as "git tag v1.2.0"; in CI, fetch the tags too.',
  })
}
