import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { Agent, WebsiteUser } from '../../../domain/actor.ts'
import { BETA, STABLE } from '../../../domain/builds/channels.ts'
import type { OperatingSystem } from '../../../domain/builds/platforms.ts'
import { coversVersion, type EngineRange, parseVersion } from '../../../domain/listings/engine-range.ts'
import { MODDING_TYPES } from '../../../domain/listings/listing.ts'
import type { Page } from '../../../lib/paging.ts'
import { findVisibleGame, type GameRow, maySeePage, openGame } from '../../games/service.ts'
import { requireBuild } from '../service.ts'
import {
  type BundleCheck,
  COMPAT_STATUSES,
  type CompatStatus,
  MATCHES_MAX,
  type ModCompat,
  PACK_STATUSES,
  type PackStatus,
  PATHS_SHOWN,
} from './model.ts'
import * as queries from './queries.ts'
import { listPackMatches, listParentBuilds, type PackMatch, type ParentRow } from './queries.ts'

export type EntryDifference = queries.EntryDifference

export interface BuildDifference extends queries.Difference {
  before: queries.EarlierBuild
}

/**
 * How the inner files differ from those of the build before; null for the first build of a platform, and for a page
 * that was taken down.
 */
export async function findDifference(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  buildId: string,
  page: Page,
): Promise<BuildDifference | null> {
  const { game } = await openGame(deps.db, user, ref, 'edit')
  if (game.takenDown && !user.isOperator) return null
  const build = await requireBuild(deps.db, game.uid, buildId)
  const before = await queries.findBuildBefore(deps.db, build)
  if (!before) return null
  return { before, ...(await queries.compareEntries(deps.db, build.uid, before.uid, page)) }
}

/** Shows the developers of a build whose assets it contains. Private to them, and it never blocks a release. */
export async function checkBundle(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  buildUid: string,
): Promise<BundleCheck> {
  const { game } = await openGame(deps.db, user, ref, 'edit')
  const { uid } = await requireBuild(deps.db, game.uid, buildUid)
  const checked = { uid, gameUid: game.uid, ownerUid: game.ownerUid }
  const found = await listPackMatches(deps.db, checked, user.userUid, PATHS_SHOWN, MATCHES_MAX)
  const matches = found.map((match) => ({
    pack: { uid: match.uid, vanity_name: match.vanityName, name: match.name },
    status: statusOf(match, game.ownerUid),
    license_kind: match.licenseKind,
    files: match.paths,
    count: match.count,
  }))
  const rank = (status: PackStatus) => PACK_STATUSES.indexOf(status)
  return { matches: matches.toSorted((a, b) => rank(a.status) - rank(b.status)) }
}

function statusOf({ ownerUid, isLicensed, licenseKind }: PackMatch, developerUid: string): PackStatus {
  if (ownerUid === developerUid) return 'owned'
  if (isLicensed || licenseKind === 'cc0') return 'licensed'
  return licenseKind === 'cc-by' || licenseKind === 'cc-by-sa' ? 'attribution' : 'unlicensed'
}

type Mod = Pick<GameRow, 'assetType' | 'parentUid' | 'engineCompat'>

const UNKNOWN: ModCompat = { status: 'unknown', builds: [] }

/** For the public page: checked against the parent's stable builds. null when there is nothing to show. */
export async function findModCompat(db: Db, mod: Mod): Promise<ModCompat | null> {
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

interface CheckedBuild {
  os: OperatingSystem
  engineVersion: string | null
}

/** `engines` are those the parent is made with; ranges for other engines are ignored. */
export function checkBuild(
  ranges: readonly EngineRange[],
  engines: readonly string[],
  { os, engineVersion }: CheckedBuild,
): CompatStatus {
  if (engineVersion === null || parseVersion(engineVersion) === null) return 'unknown'
  const fitting = ranges.filter(
    ({ engine, platform }) => engines.includes(engine) && (platform === null || platform === os),
  )
  if (fitting.length === 0) return 'unknown'
  return fitting.some((range) => coversVersion(range, engineVersion)) ? 'compatible' : 'incompatible'
}

/** `unknown` without any build. */
export function worstOf(statuses: readonly CompatStatus[]): CompatStatus {
  return COMPAT_STATUSES.find((status) => statuses.includes(status)) ?? 'unknown'
}
