import { createShortWait } from '../api/retry.ts'
import { type CliError, EXIT, toCliError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { chooseBuild } from '../install/choose-build.ts'
import { describeResult, install, type InstallTarget } from '../install/install.ts'
import { findInstalled, type Installed, listInstalled, tellMine, withInstall } from '../install/open.ts'
import { connectPlayer } from '../player/connect.ts'
import type { PlayerApi } from '../player/player-api.ts'
import { formatTable } from '../ui/format.ts'
import { showResult } from './get.ts'

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
  if (options.check) return await tellNewer(context, chosen, options)
  const results: object[] = []
  let failure: CliError | null = null
  for (const one of chosen) {
    try {
      results.push(await updateOne(context, one, options))
    } catch (error) {
      context.signal.throwIfAborted()
      // One game that cannot be updated does not keep the others from it.
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
export async function findTarget(
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
  tellMine(context, result.mine)
  context.output.result(describeResult(result))
  return showResult(folder, result)
}

async function tellNewer(
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
