import { type Param, type Placeholder, sql } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { hiddenTags, tagSuggestions } from '../../../db/schema/games/game-relations.ts'
import { games } from '../../../db/schema/games/games.ts'
import { type CommunityTag, SHOWN_MAX, VOTES_TO_SHOW } from './model.ts'

/** An explicit collation, so that the order does not depend on the database's locale. */
export const BY_VOTES = sql`votes desc, tag collate "C"`

/**
 * Every tag that players suggested or the developer hid. The developer's own tags and hidden ones are never shown,
 * and do not use up slots.
 */
export const rankTags = (gameUids: Placeholder | Param) => {
  const named = sql`game_uid = any(${gameUids}::uuid[])`
  return sql`
    select game_uid, tag, votes, hidden,
      may_show and row_number() over (partition by game_uid, may_show order by ${BY_VOTES}) <= ${SHOWN_MAX} as shown
    from (
      select game_uid, tag, sum(vote)::integer as votes, bool_or(hides) as hidden,
        sum(vote) >= ${VOTES_TO_SHOW} and not bool_or(hides) and tag <> all(${games.tags}) as may_show
      from (
        select game_uid, tag, 1 as vote, false as hides from ${tagSuggestions} where ${named}
        union all
        select game_uid, tag, 0, true from ${hiddenTags} where ${named}
      ) as said
      join ${games} on ${games.uid} = game_uid
      group by game_uid, tag, ${games.uid}
    ) as counted`
}

/** The tags on the cards of each of the listings `gameUids`; those without are left out. */
export function selectShownTags(db: Db) {
  return db
    .select({
      gameUid: sql<string>`game_uid`.as('tagged_uid'),
      communityTags: sql<
        CommunityTag[]
      >`json_agg(json_build_object('tag', tag, 'votes', votes) order by ${BY_VOTES})`.as('community_tags'),
    })
    .from(sql`(${rankTags(sql.placeholder('gameUids'))}) as ranked`)
    .where(sql`shown`)
    .groupBy(sql`game_uid`)
}
