import { and, eq, sql } from 'drizzle-orm'

import { buildOnce, type Db, one } from '../../../db/client.ts'
import { hiddenTags, tagSuggestions } from '../../../db/schema/games/game-relations.ts'
import type { Page } from '../../../lib/paging.ts'
import type { SuggestedTag } from './model.ts'
import { BY_VOTES, rankTags, selectShownTags } from './shared-queries.ts'

export async function listShown(db: Db, gameUids: readonly string[]) {
  return await shownTags(db).execute({ gameUids })
}

const shownTags = buildOnce((db) => selectShownTags(db).prepare('shown_tags'))

const ofGame = (gameUid: string) => rankTags(sql.param([gameUid]))

export async function listSuggested(db: Db, gameUid: string, page: Page): Promise<readonly SuggestedTag[]> {
  return await db.execute<SuggestedTag>(sql`
    select tag, votes, hidden, shown from (${ofGame(gameUid)}) as ranked order by ${BY_VOTES}
    limit ${page.page_size} offset ${page.offset}`)
}

export async function countSuggested(db: Db, gameUid: string): Promise<number> {
  const [row] = await db.execute<{ count: number }>(
    sql`select count(*)::integer as count from (${ofGame(gameUid)}) as ranked`,
  )
  return row?.count ?? 0
}

export async function findSuggested(db: Db, gameUid: string, tag: string): Promise<SuggestedTag | undefined> {
  return await one(
    db.execute<SuggestedTag>(
      sql`select tag, votes, hidden, shown from (${ofGame(gameUid)}) as ranked where tag = ${tag}`,
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
