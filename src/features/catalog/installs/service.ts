import type { Deps } from '../../../deps.ts'
import type { Anonymous, Player } from '../../../domain/actor.ts'
import { BETA, STABLE } from '../../../domain/builds/channels.ts'
import { AppError } from '../../../errors.ts'
import type { Page, Paged } from '../../../lib/paging.ts'
import { readDocument } from '../../builds/contents/service.ts'
import { findLicense, type LibraryFilter, readLibrary } from '../../community/library/service.ts'
import { type GameAccess, openPage, refuseTakenDown } from '../../games/service.ts'
import type { Downloads } from '../downloads/downloads.ts'
import { openForInstaller, requireForAnyone } from '../downloads/service.ts'
import type { BuildsQuery, InstallableItem, InstallBuilds } from './model.ts'
import * as queries from './queries.ts'

/** Of one listing in the library; its own route has more. */
const FILES_PER_GAME = 50
const FILES_MAX = 200

/** The player's licences, with what each of them can install. */
export async function readInstallable(
  deps: Deps,
  player: Player,
  page: Page,
  filter: LibraryFilter,
): Promise<Paged<InstallableItem>> {
  const library = await readLibrary(deps, player, page, filter)
  // Closed pages show no name of their own, and nothing to install.
  const open = library.items.filter(({ game }) => game.vanity_name !== null)
  const betas = open.filter(({ beta }) => beta).map(({ game }) => game.uid)
  const uids = open.map(({ game }) => game.uid)
  const files = await queries.listFilesOfGames(deps.db, uids, betas, FILES_PER_GAME)
  const byGame = Map.groupBy(files, ({ gameUid }) => gameUid)
  const items = library.items.map((item) => ({
    ...item,
    builds: (byGame.get(item.game.uid) ?? []).map((file) => ({
      channel: file.channel,
      app: file.app,
      os: file.os,
      arch: file.arch,
      version: file.version,
      build_id: file.buildUid,
      file_uid: file.fileUid,
      size: file.size,
    })),
  }))
  return { ...library, items }
}

/**
 * What a channel of a listing points at. Stable is for players, and for everyone where anonymous downloads are on; beta is
 * for players who joined it, others for its makers.
 */
export async function readInstallBuilds(
  deps: Deps,
  visitor: Anonymous | Player,
  ref: string,
  query: BuildsQuery,
): Promise<InstallBuilds> {
  const { db } = deps
  const player = visitor.kind === 'player' ? visitor : null
  const access = await openPage(db, player, ref)
  refuseTakenDown(access.game)
  const { channel = STABLE } = query
  if (channel !== STABLE && access.role === null) await requireBeta(db, player, access, channel)
  if (!player) requireForVisitors(deps, access)
  const { uid, vanityName, name } = access.game
  const files = await queries.listFilesOnChannel(db, uid, query, FILES_MAX)
  const byBuild = Map.groupBy(files, ({ buildUid }) => buildUid)
  return {
    game: { uid, vanity_name: vanityName, name },
    builds: [...byBuild.values()].flatMap((own) => (own[0] ? [toBuild(own[0], own)] : [])),
  }
}

/** The contents of a file, for those who may download it. */
export async function readInstallContents(
  downloads: Downloads,
  visitor: Anonymous | Player,
  fileUid: string,
): Promise<Uint8Array> {
  const { fileUid: uid, gameUid } = await openForInstaller(downloads, visitor, fileUid)
  return await readDocument(downloads.deps.db, { uid, gameUid })
}

function requireForVisitors(deps: Deps, { game }: GameAccess): void {
  if (game.adult) throw new AppError('not_found')
  requireForAnyone(deps, game)
}

async function requireBeta(
  db: Deps['db'],
  player: Player | null,
  { game }: GameAccess,
  channel: string,
): Promise<void> {
  if (channel !== BETA || !player) throw new AppError('not_found')
  const license = await findLicense(db, player.userUid, game.uid)
  if (!license?.beta) throw new AppError('forbidden', { message: `Join the beta of ${game.name} first.` })
}

function toBuild(build: queries.InstallFile, files: readonly queries.InstallFile[]) {
  const { channel, app, appName, os, arch, version, buildUid } = build
  return {
    channel,
    app,
    app_name: appName,
    os,
    arch,
    version,
    build_id: buildUid,
    files: files.map((file) => ({
      file_uid: file.fileUid,
      filename: file.filename,
      size: file.size,
      checksum: file.checksum,
      blocks: file.hasBlocks ?? false,
      installed_size: file.installedSize,
      launch: file.launch,
    })),
  }
}
