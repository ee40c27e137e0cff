import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent, WebsiteUser } from '../../../domain/actor.ts'
import type { HealthBand } from '../../../domain/builds/health.ts'
import type { OperatingSystem } from '../../../domain/builds/platforms.ts'
import { respond } from '../../../lib/respond.ts'
import { requireBuild } from '../../builds/service.ts'
import { openGame } from '../../games/service.ts'
import { BuildHealth } from './model.ts'
import { findHealth, type HealthRow, listHealth, listPlatformBands, listStableBands } from './queries.ts'
import { worstBand } from './rate-build.ts'

export interface PlatformHealth {
  os: OperatingSystem
  arch: string
  version: string
  band: HealthBand
  /** When it was last rated; null before. */
  judgedAt: Date | null
}

const NO_DATA: BuildHealth = {
  band: 'unrated',
  devices: 0,
  boot_ok: 0,
  crashed: 0,
  left_out: 0,
  median_session_s: null,
}

export async function loadBuildHealth(
  deps: Deps,
  actor: WebsiteUser | Agent,
  ref: string,
  buildId: string,
): Promise<BuildHealth> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  const build = await requireBuild(deps.db, game.uid, buildId)
  const row = await findHealth(deps.db, build.uid)
  return row ? toHealth(row) : NO_DATA
}

/** Of builds that the caller has opened, by uid; builds without events are left out. */
export async function loadHealthOf(
  db: Db,
  buildUids: readonly string[],
): Promise<ReadonlyMap<string, BuildHealth>> {
  const rows = await listHealth(db, buildUids)
  return new Map(rows.map((row) => [row.buildUid, toHealth(row)]))
}

function toHealth(row: HealthRow): BuildHealth {
  return respond(BuildHealth, row, { left_out: row.leftOut ?? 0 })
}

/** The rating of the newest stable build of each platform; platforms without events are unrated. */
export async function listPlatformHealth(db: Db, gameUid: string): Promise<PlatformHealth[]> {
  const rows = await listPlatformBands(db, gameUid)
  return rows.map(({ band, ...platform }) => ({ ...platform, band: band ?? 'unrated' }))
}

/** The worst band across the platforms of each listing, by uid, in one query. Missing ones are unrated. */
export async function loadBandsOf(
  db: Db,
  gameUids: readonly string[],
): Promise<ReadonlyMap<string, HealthBand>> {
  const rows = await listStableBands(db, gameUids)
  return new Map(rows.map(({ gameUid, bands }) => [gameUid, worstBand(bands)]))
}
