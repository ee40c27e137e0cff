import type { Deps } from '../../../deps.ts'
import type { Agent, DeployKey, WebsiteUser } from '../../../domain/actor.ts'
import { MAIN_APP, parseChannel, STABLE } from '../../../domain/builds/channels.ts'
import { PROGRAM_NAME } from '../../../domain/store-settings.ts'
import { AppError } from '../../../errors.ts'
import { mapPage, type Page, type Paged } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import { show } from '../../../lib/text/show.ts'
import { changeGame, nameAuthor, openGame } from '../../games/service.ts'
import { settingsOf } from '../../settings/reader.ts'
import { requireBuild } from '../service.ts'
import { Channel, Move, type Promotion } from './model.ts'
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
  return await loadChannels(deps, game.uid, page)
}

export async function listChannelsOfKey(
  deps: Deps,
  { gameUid }: DeployKey,
  page: Page,
): Promise<Paged<Channel>> {
  return await loadChannels(deps, gameUid, page)
}

async function loadChannels(deps: Deps, gameUid: string, page: Page): Promise<Paged<Channel>> {
  return mapPage(await queries.listPointers(deps.db, gameUid, page), (row) => toChannel(deps, row))
}

export async function listMoves(deps: Deps, actor: Caller, ref: string, page: Page): Promise<Paged<Move>> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  return mapPage(await queries.listMoves(deps.db, game.uid, page), (row) =>
    respond(Move, row, {
      from_build_id: row.fromBuildUid,
      to_build_id: row.toBuildUid,
      moved_at: row.createdAt,
      moved_by: nameMover(deps, row.movedBy),
    }),
  )
}

/** Returns null if the owner was asked to approve instead: an agent may not release to all players alone. */
export async function promote(
  deps: Deps,
  actor: Caller,
  ref: string,
  channelName: string,
  { build_id, app }: Promotion,
): Promise<Channel | null> {
  const channel = parseChannel(channelName)
  return await changeGame(deps.db, actor, ref, 'edit', async (tx, game) => {
    const build = await requireBuild(tx, game.uid, build_id)
    if (app !== undefined && app !== build.app) {
      throw new AppError('upload_field_invalid', {
        message: `app must be ${show(build.app)}, to which the build ${build.uid} belongs, not ${show(app)}.`,
      })
    }
    const done = await findPromoted(tx, build, channel)
    if (done) return toChannel(deps, done)
    if (actor.kind === 'agent' && channel === STABLE) {
      await requestPromotion(deps, tx, actor, game, build)
      return null
    }
    return toChannel(deps, await promoteBuild(tx, build, channel, await nameAuthor(tx, actor)))
  })
}

export async function rollback(
  deps: Deps,
  actor: Caller,
  ref: string,
  channelName: string,
  app: string = MAIN_APP,
): Promise<Channel[]> {
  const channel = parseChannel(channelName)
  return await changeGame(deps.db, actor, ref, 'edit', async (tx, game) => {
    const appUid = await queries.findAppUid(tx, game.uid, app)
    if (appUid === undefined)
      throw new AppError('not_found', { message: `This listing has no app called ${app}.` })
    const moved = await rollBack(tx, appUid, channel, await nameAuthor(tx, actor))
    return moved.map((row) => toChannel(deps, row))
  })
}

function toChannel(deps: Deps, { pointer, app, appName, build, move }: queries.PointerRow): Channel {
  return respond(Channel, pointer, {
    app,
    app_name: appName,
    build_id: build.uid,
    version: build.version,
    moved_by: nameMover(deps, move.movedBy),
    previous_build_id: move.fromBuildUid,
  })
}

/** Automatic moves are shown under the name of the store. */
function nameMover(deps: Deps, movedBy: string): string {
  return movedBy === PROGRAM_NAME ? settingsOf(deps).storefront().settings.name : movedBy
}
