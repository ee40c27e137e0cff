import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent, DeployKey, WebsiteUser } from '../../../domain/actor.ts'
import { MAIN_APP, STABLE } from '../../../domain/builds/channels.ts'
import { AppError } from '../../../errors.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import { show } from '../../../lib/text/show.ts'
import { nameAuthor } from '../../games/history.ts'
import { lockGame, openGame } from '../../games/service.ts'
import { requireBuild } from '../service.ts'
import { readChannel } from './builds.ts'
import type { Channel, Move, Promotion } from './model.ts'
import { findPromoted, promoteBuild, rollBack } from './moves.ts'
import { requestPromotion } from './promotion-request.ts'
import * as queries from './queries.ts'

type Caller = WebsiteUser | Agent

export async function listChannels(
  deps: Deps,
  actor: Caller,
  ref: string,
  page: Page,
): Promise<Paged<Channel>> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  return await readChannels(deps.db, game.uid, page)
}

export async function listChannelsOfKey(
  deps: Deps,
  { gameUid }: DeployKey,
  page: Page,
): Promise<Paged<Channel>> {
  return await readChannels(deps.db, gameUid, page)
}

async function readChannels(db: Db, gameUid: string, page: Page): Promise<Paged<Channel>> {
  const [rows, total] = await Promise.all([
    queries.listPointers(db, gameUid, page),
    queries.countPointers(db, gameUid),
  ])
  return paged(page, rows.map(toChannel), total)
}

export async function listMoves(deps: Deps, actor: Caller, ref: string, page: Page): Promise<Paged<Move>> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  const [rows, total] = await Promise.all([
    queries.listMoves(deps.db, game.uid, page),
    queries.countMoves(deps.db, game.uid),
  ])
  return paged(page, rows.map(toMove), total)
}

/** Returns null when the owner was asked instead: an agent may not release to all players by itself. */
export async function promote(
  deps: Deps,
  actor: Caller,
  ref: string,
  channelName: string,
  { build_id, app }: Promotion,
): Promise<Channel | null> {
  const channel = readChannel(channelName)
  return await deps.db.transaction(async (tx) => {
    const { game } = await lockGame(tx, actor, ref, 'edit')
    const build = await requireBuild(tx, game.uid, build_id)
    if (app !== undefined && app !== build.app) {
      throw new AppError('upload_field_invalid', {
        message: `app must be ${show(build.app)}, to which the build ${build.uid} belongs, not ${show(app)}.`,
      })
    }
    const done = await findPromoted(tx, build, channel)
    if (done) return toChannel(done)
    if (actor.kind === 'agent' && channel === STABLE) {
      await requestPromotion(deps, tx, actor, game, build)
      return null
    }
    return toChannel(await promoteBuild(tx, build, channel, await nameAuthor(tx, actor)))
  })
}

export async function rollback(
  deps: Deps,
  actor: Caller,
  ref: string,
  channelName: string,
  app: string = MAIN_APP,
): Promise<Channel[]> {
  const channel = readChannel(channelName)
  return await deps.db.transaction(async (tx) => {
    const { game } = await lockGame(tx, actor, ref, 'edit')
    const appUid = await queries.findAppUid(tx, game.uid, app)
    if (appUid === undefined)
      throw new AppError('not_found', { message: `This listing has no app called ${app}.` })
    return (await rollBack(tx, appUid, channel, await nameAuthor(tx, actor))).map(toChannel)
  })
}

function toChannel({ pointer, app, appName, build, move }: queries.PointerRow): Channel {
  return {
    channel: pointer.channel,
    app,
    app_name: appName,
    os: pointer.os,
    arch: pointer.arch,
    build_id: build.uid,
    version: build.version,
    moved_at: pointer.movedAt.toISOString(),
    moved_by: move.movedBy,
    previous_build_id: move.fromBuildUid,
  }
}

function toMove(row: queries.HistoryRow): Move {
  return {
    uid: row.uid,
    channel: row.channel,
    app: row.app,
    app_name: row.appName,
    os: row.os,
    arch: row.arch,
    kind: row.kind,
    from_build_id: row.fromBuildUid,
    from_version: row.fromVersion,
    to_build_id: row.toBuildUid,
    to_version: row.toVersion,
    moved_at: row.createdAt.toISOString(),
    moved_by: row.movedBy,
  }
}
