import { mkdir, readdir, realpath } from 'node:fs/promises'
import { arch } from 'node:os'
import { join, resolve } from 'node:path'

import { MAIN_APP, STABLE } from '../../domain/builds/channels.ts'
import { formatBytes } from '../../lib/text/show.ts'
import { unlessMissing } from '../../lib/unless-missing.ts'
import { createShortWait } from '../api/retry.ts'
import { CliError, EXIT, toCliError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { chooseBuild, hostArchitectures, hostSystem } from '../install/choose-build.ts'
import { toInstallError } from '../install/disk-room.ts'
import { describeResult, install, type InstallResult, type InstallTarget } from '../install/install.ts'
import {
  createRegistry,
  findInstalled,
  finishAll,
  type Installed,
  listInstalled,
  reportKeptChanges,
  withInstall,
} from '../install/open.ts'
import { readRecord, STATE_FOLDER } from '../install/record.ts'
import { parseGameRef, type PlayerApi } from '../player/player-api.ts'
import { connectPlayer, findServer } from '../player/sign-in.ts'
import { formatTable } from '../ui/progress.ts'

interface GetOptions {
  server?: string
  into?: string
  channel?: string
  os?: string
  arch?: string
  app?: string
  version?: string
  limitRate?: number
}

/** A name in addresses is used as the name of a folder. */
const FOLDER_NAME = /^[a-z0-9][a-z0-9-]{0,99}$/

export async function get(context: Context, text: string, options: GetOptions): Promise<void> {
  await finishAll(context)
  const { machine, output } = context
  const ref = parseGameRef(text)
  const server = await findServer(context, options.server ?? ref.server)
  const player = await connectPlayer(context, server, { isPatient: true, flag: options.server })
  const { channel = STABLE, app = MAIN_APP, os = hostSystem(machine.platform), version = null } = options
  const archs = options.arch === undefined ? hostArchitectures(machine.platform, arch()) : [options.arch]
  const builds = await player.readBuilds(ref.game, { channel })
  const target = chooseBuild(builds, { channel, app, os, archs, version })
  const folder = await openFolder(context, options.into ?? defaultFolder(context, target))
  await createRegistry(context).add(folder)
  const result = await withInstall(context, folder, async () => {
    await requireSameGame(folder, target)
    const limitRate = options.limitRate ?? null
    return await install(context, folder, { player, target, limitRate })
  })
  reportKeptChanges(context, result.mine)
  output.result(describeResult(result))
  output.result(`Installed in ${folder}. Start it with "shelf run ${target.game.vanity_name}".`)
  output.json(showResult(folder, result))
}

export function showResult(folder: string, { record, fetched, copied, kept, written, mine }: InstallResult) {
  const { server, game, channel, app, os, arch: architecture, version, build_id, file_uid } = record
  return {
    server,
    game_uid: game.uid,
    game: game.vanity_name,
    folder,
    channel,
    app,
    os,
    arch: architecture,
    version,
    build_id,
    file_uid,
    fetched_bytes: fetched,
    copied_bytes: copied,
    files_kept: kept,
    files_written: written,
    mine,
  }
}

function defaultFolder({ machine }: Context, { game, build }: InstallTarget): string {
  const name = build.app === MAIN_APP ? game.vanity_name : `${game.vanity_name}-${build.app}`
  if (FOLDER_NAME.test(name)) return join(machine.home, 'Games', name)
  throw new CliError('usage', `"${name}" cannot be the name of a folder.`, {
    hint: 'Choose one with --into.',
  })
}

/** The folder must be new, empty, or an installation already, so that a game never mixes with other files. */
async function openFolder({ cwd }: Context, given: string): Promise<string> {
  const folder = resolve(cwd, given)
  try {
    const names = (await unlessMissing(readdir(folder))) ?? []
    if (names.length > 0 && !names.includes(STATE_FOLDER)) {
      throw new CliError('files', `${folder} is not empty.`, {
        hint: 'Choose another folder with --into.',
      })
    }
    await mkdir(folder, { recursive: true })
    return await realpath(folder)
  } catch (error) {
    throw toInstallError(error, folder)
  }
}

async function requireSameGame(folder: string, { game, build }: InstallTarget): Promise<void> {
  const record = await readRecord(folder)
  if (!record || (record.game.uid === game.uid && record.app === build.app)) return
  throw new CliError('files', `${folder} holds ${record.game.name} (${record.app}).`, {
    hint: 'Choose another folder with --into.',
  })
}

interface UpdateOptions {
  check?: boolean
  channel?: string
  limitRate?: number
}

/** Brings installed games to the build of their channel; all of them without names. */
export async function update(
  context: Context,
  names: readonly string[],
  options: UpdateOptions,
): Promise<void> {
  const { output } = context
  const chosen = names.length === 0 ? await listInstalled(context) : await findAll(context, names)
  if (options.check) return await reportNewer(context, chosen, options)
  const results: object[] = []
  let failure: CliError | null = null
  for (const one of chosen) {
    try {
      results.push(await updateOne(context, one, options))
    } catch (error) {
      context.signal.throwIfAborted()
      // The other games are updated even if this one fails.
      failure = toCliError(error)
      if (chosen.length === 1) throw failure
      output.warn(`${one.record.game.name}: ${failure.message}`)
    }
  }
  if (failure) throw failure
  if (chosen.length === 0) output.result('Nothing is installed.')
  output.json({ updates: results })
}

/** What the channel of an installation points at. */
async function findTarget(
  player: PlayerApi,
  { record }: Installed,
  channel: string = record.channel,
): Promise<InstallTarget> {
  const { game, os, arch, app } = record
  const builds = await player.readBuilds(game.uid, { channel, os, app })
  return chooseBuild(builds, { channel, os, app, archs: [arch], version: null })
}

async function findAll(context: Context, names: readonly string[]): Promise<Installed[]> {
  const found: Installed[] = []
  for (const name of names) found.push(await findInstalled(context, name))
  return found
}

async function updateOne(context: Context, one: Installed, options: UpdateOptions): Promise<object> {
  const { folder, record } = one
  const player = await connectPlayer(context, record.server)
  const target = await findTarget(player, one, options.channel)
  const isNewest = target.file.file_uid === record.file_uid && target.build.channel === record.channel
  if (isNewest) {
    context.output.result(`${record.game.name} ${record.version} is the newest version.`)
    return { game: record.game.vanity_name, folder, version: record.version, fetched_bytes: 0 }
  }
  const limitRate = options.limitRate ?? null
  const result = await withInstall(context, folder, () =>
    install(context, folder, { player, target, limitRate }),
  )
  reportKeptChanges(context, result.mine)
  context.output.result(describeResult(result))
  return showResult(folder, result)
}

async function reportNewer(
  context: Context,
  chosen: readonly Installed[],
  { channel }: UpdateOptions,
): Promise<void> {
  const { output } = context
  const newer: { game: string; folder: string; installed: string; newer: string }[] = []
  const wait = createShortWait()
  for (const one of chosen) {
    const { record, folder } = one
    const player = await connectPlayer(context, record.server, wait())
    const { build, file } = await findTarget(player, one, channel)
    if (file.file_uid === record.file_uid) continue
    newer.push({ game: record.game.vanity_name, folder, installed: record.version, newer: build.version })
  }
  if (newer.length === 0) output.result('Everything is up to date.')
  else {
    const rows = newer.map(({ game, installed, newer: version }) => [game, installed, version])
    output.result(formatTable(['GAME', 'INSTALLED', 'NEWER'], rows))
    context.exitWith(EXIT.newer)
  }
  output.json({ newer })
}

/** The list is useful even without newer versions, so it waits for servers only this long. */
const SERVER_WAIT_MS = 5000

/** Lists what is installed, without the newer version where the server does not respond. */
export async function list(context: Context): Promise<void> {
  const { output } = context
  const rows: {
    game: string
    name: string
    version: string
    size: number
    folder: string
    newer: string | null
  }[] = []
  const silent = new Set<string>()
  const wait = createShortWait(SERVER_WAIT_MS)
  for (const one of await listInstalled(context)) {
    const { record, folder } = one
    const { game, version, files } = record
    const size = files.reduce((sum, file) => sum + file.size, 0)
    const newer = silent.has(record.server) ? null : await findNewer(context, one, silent, wait())
    rows.push({ game: game.vanity_name, name: game.name, version, size, folder, newer })
  }
  const cells = rows.map(({ game, version, size, newer, folder }) => [
    game,
    version,
    newer ?? '',
    formatBytes(size),
    folder,
  ])
  output.result(
    rows.length === 0
      ? 'Nothing is installed.'
      : formatTable(['GAME', 'VERSION', 'NEWER', 'SIZE', 'FOLDER'], cells),
  )
  output.json({ installed: rows })
}

/** Adds servers that do not respond to `silent`, so that each is waited for only once. */
async function findNewer(
  context: Context,
  one: Installed,
  silent: Set<string>,
  wait: { giveUpAfterMs: number },
): Promise<string | null> {
  try {
    const player = await connectPlayer(context, one.record.server, wait)
    const { build, file } = await findTarget(player, one)
    return file.file_uid === one.record.file_uid ? null : build.version
  } catch (error) {
    context.signal.throwIfAborted()
    if (!(error instanceof CliError)) throw error
    if (error.exit === 'unreachable') silent.add(one.record.server)
    context.output.note(`${one.record.game.name}: ${error.message}`)
    return null
  }
}
