import { exists, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { STABLE } from '../../domain/builds/channels.ts'
import { SHELF_SCHEMA_PATH } from '../../domain/builds/shelf-file.ts'
import { CliError } from '../cli-error.ts'
import type { Context, ServerFlags } from '../context.ts'
import { requireServer } from '../settings/settings.ts'
import { parseShelfJson, SHELF_JSON } from '../settings/shelf-json.ts'
import { ask } from '../ui/prompt.ts'

export interface InitOptions extends ServerFlags {
  os?: string
  arch?: string
  path?: string
  channel?: string
  force?: boolean
}

/** Writes `shelf.json`; asks for what the flags do not say. */
export async function init({ cwd, env, output, signal }: Context, options: InitOptions): Promise<void> {
  const path = join(cwd, SHELF_JSON)
  if (!options.force && (await exists(path))) {
    throw new CliError('usage', `${path} exists already.`, { hint: 'Use --force to overwrite it.' })
  }
  const isComplete = [options.os, options.arch, options.path].every((value) => value !== undefined)
  const read = async (given: string | undefined, question: string, fallback: string) =>
    given ?? (isComplete || !process.stdin.isTTY ? fallback : await ask(signal, question, fallback))
  const server = options.server ?? (env.SHELF_SERVER || undefined) ?? (await ask(signal, 'Server'))
  const game = options.game ?? (await ask(signal, 'Game (its name in the address)'))
  const os = await read(options.os, 'Operating system', 'linux')
  const content = {
    $schema: new URL(SHELF_SCHEMA_PATH, requireServer(server)).href,
    server: requireServer(server),
    game,
    version: '0.1.0',
    channel: await read(options.channel, 'Channel', STABLE),
    builds: [
      {
        name: os,
        os,
        arch: await read(options.arch, 'Architecture', 'x86_64'),
        path: await read(options.path, 'Folder or zip to upload', `dist/${os}`),
      },
    ],
  }
  const text = `${JSON.stringify(content, null, 2)}\n`
  parseShelfJson(text, SHELF_JSON)
  await writeFile(path, text)
  output.result(`Wrote ${path}. Set "version", then run "shelf push".`)
  output.json({ path, content })
}
