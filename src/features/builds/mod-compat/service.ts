import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { BETA, STABLE } from '../../../domain/channels.ts'
import { MODDING_TYPES } from '../../../domain/listing.ts'
import { findKnownGame, type GameRow, maySeePage, openGame } from '../../games/service.ts'
import { judgeBuild, worstOf } from './judge.ts'
import type { ModCompat } from './model.ts'
import { listParentBuilds, type ParentRow } from './queries.ts'

type Mod = Pick<GameRow, 'assetType' | 'parentUid' | 'engineCompat'>

const NOTHING_KNOWN: ModCompat = { status: 'unknown', builds: [] }

/** For the public page: by the parent's stable builds. null where there is nothing a reader could be told. */
export async function readModCompat(db: Db, mod: Mod): Promise<ModCompat | null> {
  if (!hasParent(mod)) return null
  const rows = await listParentBuilds(db, mod.parentUid, [STABLE])
  const isOpen = rows.some(({ visibility }) => maySeePage(visibility, null))
  return isOpen ? judge(mod, rows) : null
}

/** For who works on the mod: by the beta builds too, so that they see what is coming. */
export async function checkModCompat(deps: Deps, user: WebsiteUser, ref: string): Promise<ModCompat> {
  const { game: mod } = await openGame(deps.db, user, ref, 'edit')
  // A parent that was hidden since is as good as none.
  if (!hasParent(mod) || !(await findKnownGame(deps.db, user, mod.parentUid))) return NOTHING_KNOWN
  return judge(mod, await listParentBuilds(deps.db, mod.parentUid, [STABLE, BETA]))
}

function hasParent<Candidate extends Mod>(mod: Candidate): mod is Candidate & { parentUid: string } {
  return mod.parentUid !== null && MODDING_TYPES.includes(mod.assetType)
}

function judge({ engineCompat }: Mod, rows: readonly ParentRow[]): ModCompat {
  const builds = rows.flatMap(({ engines, channel, build }) => {
    if (channel === null || build === null) return []
    const { uid: build_id, engineVersion: engine_version, ...shown } = build
    return [{ channel, build_id, engine_version, ...shown, status: judgeBuild(engineCompat, engines, build) }]
  })
  return { status: worstOf(builds.map(({ status }) => status)), builds }
}
