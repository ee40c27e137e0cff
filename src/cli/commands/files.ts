import { readdir, stat, writeFile } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'

import type { StoredSymbols } from '../../features/builds/symbols/model.ts'
import type { Image } from '../../features/listings/images/model.ts'
import { formatBytes, plural } from '../../lib/text/show.ts'
import { sendFile } from '../api/form-body.ts'
import { TOOL } from '../api/project.ts'
import { CliError } from '../cli-error.ts'
import { connect, type Connection, type Context, type ServerFlags } from '../context.ts'
import { compareLists, FILE_LIST, hashFiles, readFileList, requireListed } from '../pack/file-list.ts'
import type { PackFile } from '../pack/list-files.ts'
import { listPacked } from '../push/prepare.ts'
import { findShelfJson } from '../settings/settings.ts'
import { formatTable } from '../ui/progress.ts'

interface FilesOptions {
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

interface ImagesOptions extends ServerFlags {
  cover?: string
  thumbnail?: string
  gallery?: string[]
}

export async function images(context: Context, options: ImagesOptions): Promise<void> {
  const { cover, thumbnail, gallery = [], ...flags } = options
  const { cwd, output } = context
  const wanted = [
    ...(cover === undefined ? [] : [{ kind: 'cover', path: cover }]),
    ...(thumbnail === undefined ? [] : [{ kind: 'thumbnail', path: thumbnail }]),
    ...gallery.map((path) => ({ kind: 'gallery', path })),
  ]
  if (wanted.length === 0) {
    throw new CliError('usage', 'No image was named.', { hint: 'Use --cover, --thumbnail or --gallery.' })
  }
  const { api } = await connect(context, flags)
  const stored: Image[] = []
  for (const { kind, path } of wanted) {
    const target = { path: `${TOOL}/images` }
    const image = await sendFile<Image>(api, output, target, resolve(cwd, path), { kind })
    output.result(`${image.kind}  ${image.url}`)
    stored.push(image)
  }
  output.json({ images: stored })
}

export async function symbols(
  context: Context,
  paths: readonly string[],
  { build, ...flags }: ServerFlags & { build: string },
): Promise<void> {
  const { cwd, output } = context
  const connection = await connect(context, flags, { isPatient: true })
  const uploaded = await uploadSymbols(
    context,
    connection,
    paths.map((path) => resolve(cwd, path)),
    build,
  )
  for (const { module, debug_id } of uploaded) output.result(`${debug_id}  ${module}`)
  output.json({ symbols: uploaded })
}

/** Uploads every `.sym` of the files and folders. */
export async function uploadSymbols(
  { output }: Context,
  { api, project }: Connection,
  paths: readonly string[],
  buildId: string,
): Promise<StoredSymbols[]> {
  const files = (await Promise.all(paths.map(findSymbols))).flat()
  const stored: StoredSymbols[] = []
  const target = { path: `${TOOL}/symbols`, base: project.upload_url }
  for (const path of files) {
    stored.push(await sendFile<StoredSymbols>(api, output, target, path, { build_id: buildId }))
  }
  return stored
}

async function findSymbols(path: string): Promise<string[]> {
  if ((await stat(path)).isFile()) return [path]
  const names = await readdir(path, { recursive: true })
  const found = names.filter((name) => /\.sym$/i.test(name)).sort()
  if (found.length === 0) throw new CliError('files', `${path} has no .sym files.`)
  return found.map((name) => join(path, name))
}
