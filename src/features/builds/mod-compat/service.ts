import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent, WebsiteUser } from '../../../domain/actor.ts'
import { BETA, STABLE } from '../../../domain/builds/channels.ts'
import { MODDING_TYPES } from '../../../domain/listings/listing.ts'
import { findVisibleGame, type GameRow, maySeePage, openGame } from '../../games/service.ts'
import { checkBuild, worstOf } from './compat-rule.ts'
import type { ModCompat } from './model.ts'
import { listParentBuilds, type ParentRow } from './queries.ts'

type Mod = Pick<GameRow, 'assetType' | 'parentUid' | 'engineCompat'>

const UNKNOWN: ModCompat = { status: 'unknown', builds: [] }

/** For the public page: checked against the parent's stable builds. null when there is nothing to show. */
export async function readModCompat(db: Db, mod: Mod): Promise<ModCompat | null> {
  if (!hasParent(mod)) return null
  const rows = await listParentBuilds(db, mod.parentUid, [STABLE])
  const isOpen = rows.some(({ visibility }) => maySeePage(visibility, null))
  return isOpen ? summarize(mod, rows) : null
}

/** For the mod's developers: includes the parent's beta builds, so that they see problems early. */
export async function checkModCompat(deps: Deps, user: WebsiteUser | Agent, ref: string): Promise<ModCompat> {
  const { game: mod } = await openGame(deps.db, user, ref, 'edit')
  // A parent that has been hidden counts as none.
  if (!hasParent(mod) || !(await findVisibleGame(deps.db, user, mod.parentUid))) return UNKNOWN
  return summarize(mod, await listParentBuilds(deps.db, mod.parentUid, [STABLE, BETA]))
}

function hasParent<Candidate extends Mod>(mod: Candidate): mod is Candidate & { parentUid: string } {
  return mod.parentUid !== null && MODDING_TYPES.includes(mod.assetType)
}

function summarize({ engineCompat }: Mod, rows: readonly ParentRow[]): ModCompat {
  const builds = rows.flatMap(({ engines, channel, build }) => {
    if (channel === null || build === null) return []
    const { uid: build_id, engineVersion: engine_version, ...shown } = build
    return [{ channel, build_id, engine_version, ...shown, status: checkBuild(engineCompat, engines, build) }]
  })
  return { status: worstOf(builds.map(({ status }) => status)), builds }
}
