import { writeFile } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'

import { formatBytes } from '../../lib/text/byte-sizes.ts'
import { plural } from '../../lib/text/plural.ts'
import { CliError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { compareLists, FILE_LIST, hashFiles, readFileList, requireListed } from '../pack/file-list.ts'
import type { PackFile } from '../pack/list-files.ts'
import { listPacked } from '../push/prepare.ts'
import { findShelfJson } from '../settings/shelf-json.ts'
import { formatTable } from '../ui/format.ts'

export interface FilesOptions {
  name?: string
  check?: boolean
  dryRun?: boolean
  includeSecrets?: boolean
}

/** Writes the file list, compares with it, or shows what would be packed. */
export async function files(
  context: Context,
  path: string | undefined,
  options: FilesOptions,
): Promise<void> {
  const { cwd, output } = context
  const root = path === undefined ? await findRoot(cwd, options.name) : resolve(cwd, path)
  const { found, leftOut } = await listPacked(root, options.includeSecrets ?? false, output)
  const plain = found.filter(({ isFolder }) => !isFolder)
  const size = plain.reduce((sum, file) => sum + file.size, 0)
  if (options.dryRun) return showFiles(context, plain, { size, leftOut })
  using phase = output.phase('reading', plural(plain.length, 'file'), size)
  const listed = await hashFiles(found, phase.advance)
  phase[Symbol.dispose]()
  const target = join(cwd, FILE_LIST)
  const total = `${plural(listed.length, 'file')}, ${formatBytes(size)}`
  if (options.check) {
    const list = await readFileList(target)
    output.note(plural(compareLists(list.files, listed).length, 'difference'))
    requireListed(list, listed)
    output.result(`All files are as listed: ${total}.`)
    return output.json({ files: listed.length, size, differences: [] })
  }
  const list = { version: 1, root: relative(cwd, root).replaceAll(sep, '/') || '.', files: listed }
  await writeFile(target, `${JSON.stringify(list, null, 2)}\n`)
  output.result(`Wrote ${FILE_LIST}: ${total}.`)
  output.json({ path: target, files: listed.length, size })
}

function showFiles(
  { output }: Context,
  plain: readonly PackFile[],
  { size, leftOut }: { size: number; leftOut: readonly string[] },
): void {
  const rows = plain.map((file) => [formatBytes(file.size), file.path])
  output.result(formatTable(['SIZE', 'FILE'], rows))
  output.result(`${plural(plain.length, 'file')}, ${formatBytes(size)}`)
  const files = plain.map(({ path, size: bytes }) => ({ path, size: bytes }))
  output.json({ dry_run: true, files, size, left_out: leftOut })
}

async function findRoot(cwd: string, name: string | undefined): Promise<string> {
  const shelfJson = await findShelfJson(cwd)
  const builds = shelfJson?.content.builds.filter((build) => name === undefined || build.name === name) ?? []
  const [build] = builds
  if (shelfJson && build && builds.length === 1) return resolve(shelfJson.folder, build.path)
  throw new CliError('usage', 'Which folder is meant?', {
    hint: 'Name it, or choose a build of shelf.json with --name.',
  })
}
