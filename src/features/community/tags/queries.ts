import { and, eq, sql } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { one } from '../../../db/rows.ts'
import { hiddenTags, tagSuggestions } from '../../../db/schema/games/game-relations.ts'
import { games } from '../../../db/schema/games/games.ts'
import type { Page } from '../../../lib/paging.ts'
import { type CommunityTag, SHOWN_MAX, type SuggestedTag, VOTES_TO_SHOW } from './model.ts'

/** An explicit collation, so that the order does not depend on the database's locale. */
const BY_VOTES = sql`votes desc, tag collate "C"`

/**
 * Every tag that players suggested or the developer hid. The developer's own tags and hidden ones are never shown,
 * and do not use up slots.
 */
const rankTags = (gameUids: readonly string[]) => {
  const named = sql`game_uid = any(${sql.param([...gameUids])}::uuid[])`
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

export async function listShown(
  db: Db,
  gameUids: readonly string[],
): Promise<readonly (CommunityTag & { game_uid: string })[]> {
  return await db.execute<CommunityTag & { game_uid: string }>(sql`
    select game_uid, tag, votes from (${rankTags(gameUids)}) as ranked where shown order by ${BY_VOTES}`)
}

export async function listSuggested(db: Db, gameUid: string, page: Page): Promise<readonly SuggestedTag[]> {
  return await db.execute<SuggestedTag>(sql`
    select tag, votes, hidden, shown from (${rankTags([gameUid])}) as ranked order by ${BY_VOTES}
    limit ${page.page_size} offset ${page.offset}`)
}

export async function countSuggested(db: Db, gameUid: string): Promise<number> {
  const [row] = await db.execute<{ count: number }>(
    sql`select count(*)::integer as count from (${rankTags([gameUid])}) as ranked`,
  )
  return row?.count ?? 0
}

export async function findSuggested(db: Db, gameUid: string, tag: string): Promise<SuggestedTag | undefined> {
  return await one(
    db.execute<SuggestedTag>(
      sql`select tag, votes, hidden, shown from (${rankTags([gameUid])}) as ranked where tag = ${tag}`,
    ),
  )
}

export async function listOwn(db: Db, userUid: string, gameUid: string): Promise<string[]> {
  const rows = await db
    .select({ tag: tagSuggestions.tag })
    .from(tagSuggestions)
    .where(suggestedBy(userUid, gameUid))
  return rows.map((row) => row.tag).sort()
}

export async function deleteOwn(db: Db, userUid: string, gameUid: string): Promise<void> {
  await db.delete(tagSuggestions).where(suggestedBy(userUid, gameUid))
}

export async function insertOwn(
  db: Db,
  userUid: string,
  gameUid: string,
  tags: readonly string[],
): Promise<void> {
  await db.insert(tagSuggestions).values(tags.map((tag) => ({ userUid, gameUid, tag })))
}

export async function hideTag(db: Db, gameUid: string, tag: string): Promise<void> {
  await db.insert(hiddenTags).values({ gameUid, tag }).onConflictDoNothing()
}

export async function unhideTag(db: Db, gameUid: string, tag: string): Promise<void> {
  await db.delete(hiddenTags).where(and(eq(hiddenTags.gameUid, gameUid), eq(hiddenTags.tag, tag)))
}

function suggestedBy(userUid: string, gameUid: string) {
  return and(eq(tagSuggestions.userUid, userUid), eq(tagSuggestions.gameUid, gameUid))
}
