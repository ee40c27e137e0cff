import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import type { StoredSymbols } from '../../features/builds/symbols/model.ts'
import { TOOL } from '../api/project.ts'
import { sendFile } from '../api/send-form.ts'
import { CliError } from '../cli-error.ts'
import { connect, type Connection, type Context, type ServerFlags } from '../context.ts'

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
