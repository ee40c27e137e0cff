import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent, DeployKey, WebsiteUser } from '../../../domain/actor.ts'
import { showEngine } from '../../../domain/builds/files.ts'
import { LAYOUT_MESSAGES, type LayoutFault } from '../../../domain/listings/package-layout.ts'
import type { Page, Paged } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import { refuseIfPinned } from '../../games/pinned.ts'
import { changeGame, markEdited, notifyWithNeighbours, openGame, recordChange } from '../../games/service.ts'
import { lockGameRow } from '../../games/shared-queries.ts'
import { discardImmediately, discardObjects } from '../../storage/service.ts'
import { listObjectsOfBuild } from '../../storage/shared-queries.ts'
import { leaveBuild } from '../channels/moves.ts'
import {
  type ChannelLimit,
  requireBuildChannels,
  requireChannel,
  requireEveryChannel,
} from '../deploy-keys/service.ts'
import { requireBuild } from '../service.ts'
import { type BuildRow, lockBuildRow } from '../shared-queries.ts'
import { parseRegistration, type Registration } from './identify.ts'
import { Build, BuildFile, RegisteredBuild } from './model.ts'
import * as queries from './queries.ts'

type Caller = WebsiteUser | Agent

interface Registered {
  build: RegisteredBuild
  isNew: boolean
}

export async function registerBuildOfKey(deps: Deps, key: DeployKey, body: unknown): Promise<Registered> {
  const registration = parseRegistration(body)
  requireChannel(key, registration.channel)
  return await registerBuild(deps, key.gameUid, key, registration)
}

export async function registerBuildAs(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  body: unknown,
): Promise<Registered> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  return await registerBuild(deps, game.uid, { channels: null }, parseRegistration(body))
}

/** Registering the same version, type, system, architecture and channel again updates the build. */
async function registerBuild(
  deps: Deps,
  gameUid: string,
  limit: ChannelLimit,
  { app, appName, details, ...identity }: Registration,
): Promise<Registered> {
  return await deps.db.transaction(async (tx) => {
    if (limit.channels !== null) await lockGameRow(tx, gameUid, 'no key update')
    const { uid: appUid, name, isRenamed } = await queries.ensureApp(tx, gameUid, app, appName)
    // Pages show the names of apps.
    if (isRenamed) {
      requireEveryChannel(limit)
      await markEdited(tx, gameUid)
    }
    const { isNew, ...build } = await queries.upsertBuild(tx, { gameUid, appUid, ...identity }, details)
    if (!isNew) await requireBuildChannels(tx, limit, build)
    // The engine version decides whether mods are compatible.
    if (!isNew) await notifyWithNeighbours(tx, gameUid)
    return {
      build: respond(RegisteredBuild, { ...build, app, appName: name }, { build_id: build.uid }),
      isNew,
    }
  })
}

export async function listBuildsOfKey(deps: Deps, { gameUid }: DeployKey, page: Page): Promise<Paged<Build>> {
  return await loadBuilds(deps.db, gameUid, page)
}

export async function getBuildOfKey(deps: Deps, { gameUid }: DeployKey, buildId: string): Promise<Build> {
  return await loadBuild(deps.db, gameUid, buildId)
}

async function loadBuild(db: Db, gameUid: string, buildId: string): Promise<Build> {
  const build = await requireBuild(db, gameUid, buildId)
  return toBuild(build, await queries.listFiles(db, [build.uid]))
}

export async function getBuild(deps: Deps, actor: WebsiteUser, ref: string, buildId: string): Promise<Build> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  return await loadBuild(deps.db, game.uid, buildId)
}

export async function listBuilds(deps: Deps, actor: Caller, ref: string, page: Page): Promise<Paged<Build>> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  return await loadBuilds(deps.db, game.uid, page)
}

/** The newest build of each listing that the caller has opened, by the listing's uid. */
export async function loadNewestBuilds(
  db: Db,
  gameUids: readonly string[],
): Promise<ReadonlyMap<string, Build>> {
  const rows = await queries.listNewestBuilds(db, gameUids)
  const builds = await withFiles(db, rows)
  return new Map(rows.map(({ gameUid }, index) => [gameUid, builds[index] as Build]))
}

/** Deletes its files, entries, symbols and unfinished uploads too. Channels go back to the build before, if any. */
export async function deleteBuild(deps: Deps, actor: Caller, ref: string, buildId: string): Promise<void> {
  const objects = await changeGame(deps.db, actor, ref, 'edit', async (tx, game) => {
    const build = await requireBuild(tx, game.uid, buildId)
    await leaveBuild(tx, build)
    // Waits for uploads that are being recorded, and blocks others from being recorded.
    await lockBuildRow(tx, game.uid, build.uid, 'update')
    await refuseIfPinned(tx, game.uid, build.uid)
    const objects = await listObjectsOfBuild(tx, build.uid)
    await queries.deleteBuild(tx, build.uid)
    const subject = `${build.version} for ${build.os} ${build.arch}`
    await recordChange(tx, actor, game.uid, { kind: 'build_deleted', subject })
    await discardObjects(tx, objects)
    return objects
  })
  await discardImmediately(deps, objects)
}

async function loadBuilds(db: Db, gameUid: string, page: Page): Promise<Paged<Build>> {
  const found = await queries.listBuilds(db, gameUid, page)
  return { ...found, items: await withFiles(db, found.items) }
}

async function withFiles(db: Db, rows: readonly BuildRow[]): Promise<Build[]> {
  const files = await queries.listFiles(
    db,
    rows.map(({ uid }) => uid),
  )
  const byBuild = Map.groupBy(files, ({ buildUid }) => buildUid)
  return rows.map((row) => toBuild(row, byBuild.get(row.uid) ?? []))
}

function toBuild(row: BuildRow, files: readonly queries.FileRow[]): Build {
  return respond(Build, row, { build_id: row.uid, files: files.map(toFile) })
}

function toFile(row: queries.FileRow): BuildFile {
  return respond(BuildFile, row, {
    file_uid: row.uid,
    scan_engine: showEngine(row.scanEngine),
    scan_detail: row.scanDetail ?? describeLayout(row.layoutFaults),
  })
}

/** The file is clean, but older editors would drop a part of it. */
function describeLayout(faults: readonly LayoutFault[]): string | null {
  return faults.length === 0 ? null : faults.map((fault) => LAYOUT_MESSAGES[fault]).join(' ')
}
