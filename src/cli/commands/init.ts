import { exists, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { STABLE } from '../../domain/builds/channels.ts'
import { SHELF_SCHEMA_PATH, type ShelfFile } from '../../domain/builds/shelf-file.ts'
import { CliError } from '../cli-error.ts'
import type { Context, ServerFlags } from '../context.ts'
import { findShelfJson, parseShelfJson, requireServer, SHELF_JSON } from '../settings/settings.ts'
import { ask } from '../ui/prompt.ts'

export const CI_PROVIDERS = ['github', 'gitlab'] as const
type CiProvider = (typeof CI_PROVIDERS)[number]

/** Where each provider looks for it. */
const CI_PATHS: Readonly<Record<CiProvider, string>> = {
  github: '.github/workflows/shelf.yml',
  gitlab: '.gitlab-ci.yml',
}

/** A pipeline that pushes what is tagged, without a secret. */
function writePipeline(provider: CiProvider, server: string): string {
  return provider === 'github' ? githubWorkflow(server) : gitlabPipeline(server)
}

function githubWorkflow(server: string): string {
  return `name: shelf
on:
  push:
    tags: ['v*']
permissions:
  contents: read
  id-token: write # lets the job prove to ${server} who it is
jobs:
  push:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0
      # Build your game here, into the folders that shelf.json names.
      - run: curl -fsSL ${server}/install.sh | sh
      - run: ~/.local/bin/shelf push --wait
`
}

function gitlabPipeline(server: string): string {
  return `push:
  image: debian:stable
  rules:
    - if: $CI_COMMIT_TAG
  id_tokens:
    SHELF_ID_TOKEN: # lets the job prove to ${server} who it is
      aud: ${server}
  script:
    - apt-get update && apt-get install -y ca-certificates curl git
    # Build your game here, into the folders that shelf.json names.
    - curl -fsSL ${server}/install.sh | sh
    - ~/.local/bin/shelf push --wait
`
}

interface InitOptions extends ServerFlags {
  os?: string
  arch?: string
  path?: string
  channel?: string
  ci?: CiProvider
  force?: boolean
}

/** Writes `shelf.json`, or the pipeline that pushes without a secret; both where the flags describe a build too. */
export async function init(context: Context, options: InitOptions): Promise<void> {
  const { output, cwd, env, signal } = context
  const { ci, game, os, arch, path, channel } = options
  if (ci === undefined) return output.json(await initShelf(context, options))
  const isDescribed = [game, os, arch, path, channel].some((value) => value !== undefined)
  const described = isDescribed ? null : await findShelfJson(cwd)
  const target = join(described?.folder ?? cwd, CI_PATHS[ci])
  await refuseExisting(target, options)
  const shelfJson = isDescribed ? await initShelf(context, options) : null
  const given = options.server ?? (env.SHELF_SERVER || (shelfJson ?? described)?.content.server)
  const server = requireServer(given ?? (await ask(signal, 'Server')))
  const content = writePipeline(ci, server)
  await mkdir(dirname(target), { recursive: true })
  await writeFile(target, content)
  output.result(
    `Wrote ${target}. Add the repository as a trusted publisher in the Pipelines tab of your game: no secret is needed.`,
  )
  output.json({ path: target, content, ...(shelfJson && { shelf_json: shelfJson }) })
}

async function refuseExisting(path: string, { force }: InitOptions): Promise<void> {
  if (force || !(await exists(path))) return
  throw new CliError('usage', `${path} exists already.`, { hint: 'Use --force to overwrite it.' })
}

/** Asks for values that the flags leave out. */
async function initShelf(
  { cwd, env, output, signal }: Context,
  options: InitOptions,
): Promise<{ path: string; content: ShelfFile }> {
  const path = join(cwd, SHELF_JSON)
  await refuseExisting(path, options)
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
  const checked = parseShelfJson(text, SHELF_JSON)
  await writeFile(path, text)
  output.result(`Wrote ${path}. Set "version", then run "shelf push".`)
  return { path, content: checked }
}
