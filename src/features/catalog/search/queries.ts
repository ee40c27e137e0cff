import { and, asc, eq, gte, isNull, max, ne, sql } from 'drizzle-orm'

import { isMainApp } from '../../../db/build-conditions.ts'
import { anyOf, type Db, type Transaction } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { apps, builds, channelPointers, files } from '../../../db/schema/builds.ts'
import { games } from '../../../db/schema/games/games.ts'
import { jamEntries, jams } from '../../../db/schema/jams.ts'
import { posts } from '../../../db/schema/posts.ts'
import { searchChanges } from '../../../db/schema/search.ts'
import { STABLE } from '../../../domain/builds/channels.ts'
import { FACET_FIELDS, type FacetField } from '../../../domain/listings/facets.ts'
import { type CamelCase, toCamelCase } from '../../../lib/text/camel-case.ts'
import { textOfMarkdown } from '../../../lib/text/markdown.ts'

export type PublicGame = Awaited<ReturnType<typeof listPublicGames>>[number]

/** The public ones among these, with the listing's own fields of a document. */
export async function listPublicGames(db: Db, uids: readonly string[]) {
  return await selectGames(db).where(and(anyOf(games.uid, uids), isPublic))
}

/** The same for public ones in the order of their uids, beginning at this one. */
export async function listPublicGamesFrom(db: Db, fromUid: string, limit: number): Promise<PublicGame[]> {
  return await selectGames(db)
    .where(and(gte(games.uid, fromUid), isPublic))
    .orderBy(asc(games.uid))
    .limit(limit)
}

/** Descriptions and titles of posts of the public ones as documents have them, by uid. */
export async function listTexts(db: Db, uids: readonly string[]): Promise<Map<string, readonly string[]>> {
  const rows = await db
    .select({ uid: games.uid, description: games.description, postTitles })
    .from(games)
    .where(and(anyOf(games.uid, uids), isPublic))
  return new Map(
    rows.map(({ uid, description, postTitles: titles }) => [uid, [textOfMarkdown(description), ...titles]]),
  )
}

/** Beyond the newest ones, titles of posts are not searched. */
const TITLES_MAX = 50

const postTitles = sql<string[]>`array(
  select title from ${posts} where game_uid = games.uid and state = 'published' and taken_down is null
  order by published_at desc, uid desc limit ${sql.raw(String(TITLES_MAX))})`

const isPublic = eq(games.visibility, 'public')

/** The columns of the fields that searches filter by, under the names of documents. */
const facetColumns = Object.fromEntries(FACET_FIELDS.map((name) => [name, games[toCamelCase(name)]])) as {
  [Name in FacetField]: (typeof games)[CamelCase<Name>]
}

function selectGames(db: Db) {
  return db
    .select({
      uid: games.uid,
      name: games.name,
      tagline: games.tagline,
      description: games.description,
      postTitles,
      facets: facetColumns,
      engineCompat: games.engineCompat,
      playersMin: games.playersMin,
      playersMax: games.playersMax,
      adult: games.adult,
      priceCents: games.priceCents,
      popularity: games.popularity,
      publishedAt: games.publishedAt,
      updatedAt: games.updatedAt,
      author: users.username,
      authorName: users.displayName,
      isOpen: sql<boolean>`${games.anonymousDownloads} and ${games.priceCents} = 0`,
    })
    .from(games)
    .innerJoin(users, eq(users.id, games.ownerUid))
}

/** Platforms of the main app's clean stable builds, with the time of the newest upload. */
export async function listPlatforms(db: Db, gameUids: readonly string[]) {
  return await db
    .select({
      gameUid: channelPointers.gameUid,
      os: builds.os,
      arch: builds.arch,
      uploadedAt: max(files.uploadedAt),
      hasEntryPage: sql<boolean>`bool_or(${files.entryPage} is not null)`,
    })
    .from(channelPointers)
    .innerJoin(apps, isMainApp(channelPointers.appUid))
    .innerJoin(builds, eq(builds.uid, channelPointers.buildUid))
    .innerJoin(files, eq(files.buildUid, builds.uid))
    .where(
      and(
        anyOf(channelPointers.gameUid, gameUids),
        eq(channelPointers.channel, STABLE),
        eq(files.scan, 'clean'),
      ),
    )
    .groupBy(channelPointers.gameUid, builds.os, builds.arch)
}

/**
 * Removes changes from the list, each listing once; a failed transaction restores them. The newest come first, so
 * that a page that was just published does not wait for a complete reindex.
 */
export async function takeChanges(tx: Transaction, limit: number): Promise<string[]> {
  const rows = await tx.execute<{ game_uid: string }>(sql`
    delete from ${searchChanges}
    where id in (select id from ${searchChanges} order by id desc limit ${limit})
    returning game_uid`)
  return [...new Set(rows.map((row) => row.game_uid))]
}

/** Keeps the newest `left` changes. For a run that indexes every listing anyway. */
export async function deleteOldChanges(tx: Transaction, left: number): Promise<void> {
  await tx.execute(sql`
    delete from ${searchChanges} where id <= (select id from ${searchChanges} order by id desc offset ${left} limit 1)`)
}

/** Those that are not public are in no search anyway. */
export async function listGamesOfJam(db: Db, slug: string, limit: number): Promise<string[]> {
  const rows = await db
    .select({ uid: jamEntries.gameUid })
    .from(jams)
    .innerJoin(jamEntries, eq(jamEntries.jamUid, jams.uid))
    .where(and(eq(jams.slug, slug), ne(jams.visibility, 'draft'), isNull(jamEntries.withdrawnAt)))
    .limit(limit)
  return rows.map(({ uid }) => uid)
}
