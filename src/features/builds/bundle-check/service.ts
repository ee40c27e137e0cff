import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { openGame } from '../../games/service.ts'
import { requireBuild } from '../service.ts'
import { type BundleCheck, MATCHES_MAX, PACK_STATUSES, type PackStatus, PATHS_SHOWN } from './model.ts'
import { listPackMatches, type PackMatch } from './queries.ts'

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
