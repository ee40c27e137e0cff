import { mkdir, readdir, realpath } from 'node:fs/promises'
import { arch } from 'node:os'
import { join, resolve } from 'node:path'

import { MAIN_APP, STABLE } from '../../domain/builds/channels.ts'
import { unlessMissing } from '../../lib/unless-missing.ts'
import { CliError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { chooseBuild, hostArchitectures, hostSystem } from '../install/choose-build.ts'
import { toInstallError } from '../install/disk-room.ts'
import { describeResult, install, type InstallResult, type InstallTarget } from '../install/install.ts'
import { STATE_FOLDER } from '../install/names.ts'
import { createRegistry, finishAll, tellMine, withInstall } from '../install/open.ts'
import { readRecord } from '../install/record.ts'
import { connectPlayer, findServer } from '../player/connect.ts'
import { readGameRef } from '../player/game-ref.ts'

export interface GetOptions {
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
  const ref = readGameRef(text)
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
  tellMine(context, result.mine)
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

/** New, empty, or already an installation: files of others are not mixed with those of a game. */
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
