import { type Db, deleteInBatches } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent, WebsiteUser } from '../../../domain/actor.ts'
import type { CrashFrame, StackFrame } from '../../../domain/builds/health.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { mapPage, type Page, type Paged } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import { DAY_MS } from '../../../lib/time.ts'
import { requireBuild } from '../../builds/service.ts'
import { openGame } from '../../games/service.ts'
import { Crash, CrashGroup } from './model.ts'
import * as queries from './queries.ts'

/** Reports stored per kind: enough to see what they have in common. */
const REPORTS_PER_KIND = 100
const REPORT_DAYS = 30
const GROUP_DAYS = 180
const QUOTA_DAYS = 2
const BATCH = 1000

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
  return mapPage(await queries.listGroups(deps.db, which, page), toGroup)
}

/** How many kinds of crash each version of a listing had that the caller has opened. */
export async function loadCrashKinds(db: Db, gameUid: string): Promise<ReadonlyMap<string, number>> {
  const rows = await queries.countKinds(db, gameUid)
  return new Map(rows.map(({ version, kinds }) => [version, kinds]))
}

export async function loadCrash(deps: Deps, actor: Caller, ref: string, uid: string): Promise<Crash> {
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
  return respond(CrashGroup, group, {
    first_seen_at: group.firstAt,
    last_seen_at: group.lastAt,
    versions,
    crash_uid: crashUid,
    stack: group.stack ?? group.frames.map(toFrame),
  })
}

function toCrash({ crash, signature, version }: queries.CrashRow): Crash {
  return respond(Crash, crash, {
    crash_uid: crash.uid,
    signature,
    build_id: crash.buildUid,
    version,
    received_at: crash.createdAt,
  })
}

export async function sweepOldCrashes(
  { db }: Pick<Deps, 'db'>,
  now: Date,
  signal?: AbortSignal,
): Promise<{ reports: number; groups: number }> {
  const before = (days: number) => new Date(now.getTime() - days * DAY_MS)
  const repeat = (remove: (limit: number) => Promise<number>) => deleteInBatches(BATCH, remove, signal)
  await queries.deleteOldCrashQuotas(db, before(QUOTA_DAYS).toISOString().slice(0, 10))
  return {
    groups: await repeat((limit) => queries.deleteOldGroups(db, before(GROUP_DAYS), limit)),
    reports: await repeat((limit) =>
      queries.deleteOldCrashes(db, before(REPORT_DAYS), REPORTS_PER_KIND, limit),
    ),
  }
}
