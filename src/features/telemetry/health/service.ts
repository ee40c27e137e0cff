import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent, WebsiteUser } from '../../../domain/actor.ts'
import type { HealthBand } from '../../../domain/health-bands.ts'
import { requireBuild } from '../../builds/rows/service.ts'
import { openGame } from '../../games/service.ts'
import { worstBand } from './bands.ts'
import type { BuildHealth } from './model.ts'
import { findHealth, listStableBands } from './queries.ts'

const NO_DATA: BuildHealth = {
  band: 'unrated',
  devices: 0,
  boot_ok: 0,
  crashed: 0,
  median_session_s: null,
}

export async function readBuildHealth(
  deps: Deps,
  actor: WebsiteUser | Agent,
  ref: string,
  buildId: string,
): Promise<BuildHealth> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  const build = await requireBuild(deps.db, game.uid, buildId)
  const row = await findHealth(deps.db, build.uid)
  if (!row) return NO_DATA
  const { band, devices, bootOk: boot_ok, crashed, medianSessionS: median_session_s } = row
  return { band, devices, boot_ok, crashed, median_session_s }
}

/** The worst band across the platforms of each listing, by its uid, in one query; missing ones are unrated. */
export async function readBandsOf(
  db: Db,
  gameUids: readonly string[],
): Promise<ReadonlyMap<string, HealthBand>> {
  const rows = await listStableBands(db, gameUids)
  return new Map(rows.map(({ gameUid, bands }) => [gameUid, worstBand(bands)]))
}
