import type { Deps } from '../../../deps.ts'
import { readStableFactsOf } from '../../builds/channels/stable-files.ts'
import { listShownTagsOf } from '../../community/tags/service.ts'
import { readCovers } from '../../listings/images/service.ts'
import { readBandsOf } from '../../telemetry/health/service.ts'
import { toBuilds } from './build-facts.ts'
import { listPublicGames } from './card-queries.ts'
import type { Card } from './model.ts'
import { toShared } from './shared-fields.ts'

/** Cards of the public ones among these listings, in the order given. */
export type ReadCards = (uids: readonly string[]) => Promise<Card[]>

/** The same, read anew. The number of queries is constant. */
export async function readCards(deps: Deps, uids: readonly string[]): Promise<Card[]> {
  const { db } = deps
  const [rows, covers, tags, stable, bands] = await Promise.all([
    listPublicGames(db, uids),
    readCovers(deps, uids),
    listShownTagsOf(db, uids),
    readStableFactsOf(db, uids),
    readBandsOf(db, uids),
  ])
  const byUid = new Map(rows.map((row) => [row.uid, row]))
  return uids.flatMap((uid) => {
    const row = byUid.get(uid)
    if (!row) return []
    const { cover = null, thumbnail = null } = covers.get(uid) ?? {}
    const builds = toBuilds(stable.get(uid), bands.get(uid))
    const parts = { surroundings: row, cover, thumbnail, communityTags: tags.get(uid) ?? [], builds }
    return [
      {
        ...toShared(deps.config.baseUrl, row.game, parts),
        engines: row.game.engines,
        content_warnings: row.game.contentWarnings,
        scan: builds.scan,
        platforms: builds.platforms,
        playable: deps.config.playUrl !== null && builds.isPlayable,
        score: 0,
        matched_tags: [],
      },
    ]
  })
}
