import type { Deps } from '../../../deps.ts'
import type { Anonymous, Player } from '../../../domain/actor.ts'
import { STABLE } from '../../../domain/builds/channels.ts'
import { entitlement, refusalError } from '../../../domain/listings/entitlement.ts'
import { AppError } from '../../../errors.ts'
import type { Page, Paged } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import { loadDocument } from '../../builds/contents/service.ts'
import type { LibraryItem } from '../../community/library/model.ts'
import {
  findEntitlementFacts,
  type LibraryFilter,
  listLibrary,
  openOwned,
} from '../../community/library/service.ts'
import { refuseTakenDown } from '../../games/service.ts'
import { type Downloads, openForInstaller } from '../downloads/service.ts'
import {
  type BuildsQuery,
  InstallableBuild,
  type InstallableItem,
  InstallBuild,
  type InstallBuilds,
  InstallFile,
} from './model.ts'
import * as queries from './queries.ts'

/** How many files the library shows per listing; the listing's own route has more. */
const FILES_PER_GAME = 50
const FILES_MAX = 200

/** The player's licences, with what each of them can install. */
export async function listInstallable(
  deps: Deps,
  player: Player,
  page: Page,
  filter: LibraryFilter,
): Promise<Paged<InstallableItem>> {
  const library = await listLibrary(deps, player, page, filter)
  const builds = await loadBuildsOf(deps, library.items)
  const items = library.items.map((item) => ({ ...item, builds: builds.get(item.game.uid) ?? [] }))
  return { ...library, items }
}

/** What each of these licences can install, by game. */
export async function loadBuildsOf(
  deps: Deps,
  licenses: readonly LibraryItem[],
): Promise<ReadonlyMap<string, InstallableBuild[]>> {
  const open = licenses.filter(({ unavailable }) => unavailable === null)
  const betas = open.filter(({ beta }) => beta).map(({ game }) => game.uid)
  const uids = open.map(({ game }) => game.uid)
  const files = await queries.listFilesOfGames(deps.db, uids, betas, FILES_PER_GAME)
  const byGame = Map.groupBy(files, ({ gameUid }) => gameUid)
  return new Map([...byGame].map(([gameUid, own]) => [gameUid, own.map(toInstallable)]))
}

function toInstallable(file: queries.LibraryFile): InstallableBuild {
  return respond(InstallableBuild, file, { build_id: file.buildUid })
}

/**
 * What a channel of a listing points at. Stable is for players, and for everyone if anonymous downloads are
 * on; each file tells whether a licence is missing.
 */
export async function loadInstallBuilds(
  { db, config }: Deps,
  visitor: Anonymous | Player,
  ref: string,
  query: BuildsQuery,
): Promise<InstallBuilds> {
  const player = visitor.kind === 'player' ? visitor : null
  if (query.jam !== undefined) return await loadJamBuilds({ db, config }, player, ref, query, query.jam)
  const { game } = await openOwned(db, player, ref)
  refuseTakenDown(game)
  const { channel = STABLE } = query
  const { uid, vanityName, name, visibility, adult } = game
  const freeFor = game.anonymousDownloads && game.priceCents === 0 ? 'everyone' : 'accounts'
  const person = player && (await findEntitlementFacts(db, player, uid))
  const facts = { visibility, adult, isBlocked: false, freeFor, person } as const
  const refusal = entitlement(facts, channel)
  if (refusal !== null) throw refusalError(refusal, game, facts, { verb: 'download', ...config })
  const files = await queries.listFilesOnChannel(db, uid, query, FILES_MAX)
  return { game: { uid, vanity_name: vanityName, name }, builds: toBuilds(files) }
}

/** The version of a jam, for those who may have it; drafts too. */
async function loadJamBuilds(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  player: Player | null,
  ref: string,
  query: BuildsQuery,
  jam: string,
): Promise<InstallBuilds> {
  const game = await queries.findJamGame(db, jam, ref, player?.userUid ?? null)
  if (!game) throw new AppError('not_found')
  const { jamUid, uid, name, vanityName, isOpen } = game
  const person = player && (await findEntitlementFacts(db, player, uid))
  const facts = { ...game, isBlocked: false, freeFor: 'nobody', person, jam: { isOpen } } as const
  const refusal = entitlement(facts, STABLE)
  if (refusal !== null) throw refusalError(refusal, game, facts, { verb: 'download', ...config })
  const files = await queries.listFilesOfJam(db, { jamUid, gameUid: uid }, query, FILES_MAX)
  return { game: { uid, vanity_name: vanityName, name }, builds: toBuilds(files) }
}

function toBuilds(files: readonly queries.InstallFile[]): InstallBuild[] {
  const byBuild = Map.groupBy(files, ({ buildUid }) => buildUid)
  return [...byBuild.values()].flatMap((own) => (own[0] ? [toBuild(own[0], own)] : []))
}

/** The contents of a file, for those who may download it. */
export async function loadInstallContents(
  downloads: Downloads,
  visitor: Anonymous | Player,
  fileUid: string,
): Promise<Uint8Array> {
  const { fileUid: uid, gameUid } = await openForInstaller(downloads, visitor, fileUid)
  return await loadDocument(downloads.deps.db, { uid, gameUid })
}

function toBuild(build: queries.InstallFile, files: readonly queries.InstallFile[]): InstallBuild {
  return respond(InstallBuild, build, {
    build_id: build.buildUid,
    files: files.map((file) => respond(InstallFile, file, { blocks: file.hasBlocks ?? false })),
  })
}
