import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent, DeployKey, WebsiteUser } from '../../../domain/actor.ts'
import { LAYOUT_MESSAGES, type LayoutFault } from '../../../domain/package-layout.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import { lockGame, notifyWithNeighbours, openGame } from '../../games/service.ts'
import { discardImmediately, discardObjects } from '../../storage/service.ts'
import { listObjectsOfBuild } from '../../storage/shared-queries.ts'
import { leaveBuild } from '../channels/moves.ts'
import { requireBuild } from '../rows/service.ts'
import { type BuildRow, lockBuildRow } from '../rows/shared-queries.ts'
import type { Build, BuildFile, RegisteredBuild } from './model.ts'
import * as queries from './queries.ts'
import { readRegistration } from './read-registration.ts'

type Caller = WebsiteUser | Agent

/** Registering the same version, type, system, architecture and channel again updates the build. */
export async function registerBuild(
  deps: Deps,
  { gameUid }: DeployKey,
  body: unknown,
): Promise<{ build: RegisteredBuild; isNew: boolean }> {
  const { app, appName, details, ...identity } = readRegistration(body)
  return await deps.db.transaction(async (tx) => {
    const appUid = await queries.ensureApp(tx, gameUid, app, appName)
    const { isNew, ...build } = await queries.upsertBuild(tx, { gameUid, appUid, ...identity }, details)
    // The engine version decides whether mods are compatible.
    if (!isNew) await notifyWithNeighbours(tx, gameUid)
    return { build: showRegistered({ ...build, app }), isNew }
  })
}

export async function listBuildsOfKey(deps: Deps, { gameUid }: DeployKey, page: Page): Promise<Paged<Build>> {
  return await readBuilds(deps.db, gameUid, page)
}

export async function getBuildOfKey(deps: Deps, { gameUid }: DeployKey, buildId: string): Promise<Build> {
  const build = await requireBuild(deps.db, gameUid, buildId)
  return showBuild(build, await queries.listFiles(deps.db, [build.uid]))
}

export async function listBuilds(deps: Deps, actor: Caller, ref: string, page: Page): Promise<Paged<Build>> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  return await readBuilds(deps.db, game.uid, page)
}

/** Deletes its files, entries, symbols and unfinished uploads too. Channels go back to the build before, if any. */
export async function deleteBuild(deps: Deps, actor: Caller, ref: string, buildId: string): Promise<void> {
  const objects = await deps.db.transaction(async (tx) => {
    const { game } = await lockGame(tx, actor, ref, 'edit')
    const build = await requireBuild(tx, game.uid, buildId)
    await leaveBuild(tx, build)
    // Waits for uploads that are ending, and lets no other begin to end.
    await lockBuildRow(tx, game.uid, build.uid, 'update')
    const objects = await listObjectsOfBuild(tx, build.uid)
    await queries.deleteBuild(tx, build.uid)
    await discardObjects(tx, objects)
    return objects
  })
  await discardImmediately(deps, objects)
}

async function readBuilds(db: Db, gameUid: string, page: Page): Promise<Paged<Build>> {
  const [rows, total] = await Promise.all([
    queries.listBuilds(db, gameUid, page),
    queries.countBuilds(db, gameUid),
  ])
  const files = await queries.listFiles(
    db,
    rows.map(({ uid }) => uid),
  )
  const byBuild = Map.groupBy(files, ({ buildUid }) => buildUid)
  return paged(
    page,
    rows.map((row) => showBuild(row, byBuild.get(row.uid) ?? [])),
    total,
  )
}

function showBuild(row: BuildRow, files: readonly queries.FileRow[]): Build {
  return {
    ...showRegistered(row),
    description: row.description,
    engine_version: row.engineVersion,
    changelog_items: row.changelogItems,
    files: files.map(showFile),
  }
}

function showRegistered(row: BuildRow): RegisteredBuild {
  return {
    build_id: row.uid,
    app: row.app,
    version: row.version,
    build_type: row.buildType,
    os: row.os,
    arch: row.arch,
    channel: row.channel,
    title: row.title,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }
}

function showFile(row: queries.FileRow): BuildFile {
  return {
    file_uid: row.uid,
    filename: row.filename,
    size: row.size,
    checksum: row.checksum,
    scan: row.scan,
    scan_detail: row.scanDetail ?? describeLayout(row.layoutFaults),
    uploaded_at: row.uploadedAt.toISOString(),
  }
}

/** The file is clean, but older editors would drop a part of it. */
function describeLayout(faults: readonly LayoutFault[]): string | null {
  return faults.length === 0 ? null : faults.map((fault) => LAYOUT_MESSAGES[fault]).join(' ')
}
