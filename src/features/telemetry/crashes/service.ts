import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent, WebsiteUser } from '../../../domain/actor.ts'
import type { CrashFrame, StackFrame } from '../../../domain/builds/crash-frames.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import { requireBuild } from '../../builds/service.ts'
import { openGame } from '../../games/service.ts'
import * as queries from './group-queries.ts'
import type { Crash, CrashGroup } from './model.ts'

type Caller = WebsiteUser | Agent

/** Of one build, or of all. */
export async function listCrashes(
  deps: Deps,
  actor: Caller,
  ref: string,
  buildId: string | undefined,
  page: Page,
): Promise<Paged<CrashGroup>> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  const build = buildId === undefined ? null : await requireBuild(deps.db, game.uid, buildId)
  const which = { gameUid: game.uid, buildUid: build?.uid }
  const [rows, total] = await Promise.all([
    queries.listGroups(deps.db, which, page),
    queries.countGroups(deps.db, which),
  ])
  return paged(page, rows.map(toGroup), total)
}

/** How many kinds of crash each version of a listing had that the caller has opened. */
export async function readCrashKinds(db: Db, gameUid: string): Promise<ReadonlyMap<string, number>> {
  const rows = await queries.countKinds(db, gameUid)
  return new Map(rows.map(({ version, kinds }) => [version, kinds]))
}

export async function readCrash(deps: Deps, actor: Caller, ref: string, uid: string): Promise<Crash> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  const row = isUid(uid) ? await queries.findCrash(deps.db, game.uid, uid) : undefined
  if (!row) throw new AppError('not_found')
  return toCrash(row)
}

/** Without symbols a frame shows what the game reported. */
export function toFrame({ module, offset, function: name }: CrashFrame): StackFrame {
  return { module, offset, function: name ?? null, file: null, line: null }
}

function toGroup({ group, versions, crashUid }: queries.GroupRow): CrashGroup {
  return {
    signature: group.signature,
    reason: group.reason,
    count: group.count,
    devices: group.devices,
    first_seen_at: group.firstAt.toISOString(),
    last_seen_at: group.lastAt.toISOString(),
    versions,
    crash_uid: crashUid,
    stack: group.stack ?? group.frames.map(toFrame),
  }
}

function toCrash({ crash, signature, version }: queries.CrashRow): Crash {
  return {
    crash_uid: crash.uid,
    signature,
    build_id: crash.buildUid,
    version,
    device_id: crash.deviceId,
    session_id: crash.sessionId,
    at: crash.at.toISOString(),
    received_at: crash.createdAt.toISOString(),
    before_boot: crash.beforeBoot,
    reason: crash.reason,
    frames: crash.frames,
    client_version: crash.clientVersion,
    os: crash.os,
    arch: crash.arch,
    log: crash.log,
  }
}
