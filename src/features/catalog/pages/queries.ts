import { and, asc, count, desc, eq, gt, inArray, isNull, like, not, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'

import { anyOf, buildOnce, type Db, one, pageOf } from '../../../db/client.ts'
import { personColumns } from '../../../db/person-columns.ts'
import { users } from '../../../db/schema/accounts.ts'
import { gameDependencies, gameSimilarTitles, tagCounts } from '../../../db/schema/games/game-relations.ts'
import { games } from '../../../db/schema/games/games.ts'
import { type ChildKind, MODDING_TYPES } from '../../../domain/listings/listing.ts'
import { OPEN_VISIBILITIES } from '../../../domain/listings/visibility.ts'
import { isUid } from '../../../lib/ids.ts'
import type { Page, Paged } from '../../../lib/paging.ts'
import { selectStableFacts } from '../../builds/channels/shared-queries.ts'
import { selectShownTags } from '../../community/tags/shared-queries.ts'
import { coverAccent, selectCovers, wideCover } from '../../listings/images/shared-queries.ts'
import { shownVideos } from '../../listings/videos/shared-queries.ts'
import { selectStableBands } from '../../telemetry/health/shared-queries.ts'

/** What cards show of a listing: reading the rest takes as long again. */
const cardColumns = {
  uid: games.uid,
  ownerUid: games.ownerUid,
  assetType: games.assetType,
  visibility: games.visibility,
  name: games.name,
  vanityName: games.vanityName,
  tagline: games.tagline,
  status: games.status,
  adult: games.adult,
  indexable: games.indexable,
  priceCents: games.priceCents,
  licenseKind: games.licenseKind,
  genres: games.genres,
  tags: games.tags,
  tone: games.tone,
  inputs: games.inputs,
  contentWarnings: games.contentWarnings,
  engines: games.engines,
  sessionBucket: games.sessionBucket,
  net: games.net,
  playersMin: games.playersMin,
  playersMax: games.playersMax,
  authorship: games.authorship,
  authorshipCredit: games.authorshipCredit,
  aiUses: games.aiUses,
  parentExternalName: games.parentExternalName,
  parentExternalUrl: games.parentExternalUrl,
  updatedAt: games.updatedAt,
  publishedAt: games.publishedAt,
}

export type CardGame = Pick<typeof games.$inferSelect, keyof typeof cardColumns>

const parent = alias(games, 'parent')
const child = alias(games, 'child')
const isMod = inArray(child.assetType, MODDING_TYPES)
const hasPublicChild = (condition: typeof isMod) => sql<boolean>`exists (
  select 1 from ${games} as child
  where ${child.parentUid} = ${games.uid} and ${child.visibility} = 'public' and ${condition})`

/** What a listing shows of others: its developer, its parent if that is open, and whether it has children. */
const surroundings = {
  uid: games.uid,
  ...personColumns,
  parent: {
    uid: parent.uid,
    vanityName: parent.vanityName,
    name: parent.name,
    assetType: parent.assetType,
  },
  hasMods: hasPublicChild(isMod),
  hasTools: hasPublicChild(sql`not ${isMod}`),
}

const isOpenParent = and(eq(parent.uid, games.parentUid), inArray(parent.visibility, OPEN_VISIBILITIES))

export type Surroundings = Omit<
  NonNullable<Awaited<ReturnType<typeof findSurroundings>>>,
  'videos' | 'accent' | 'wide'
>

export async function findSurroundings(db: Db, uid: string) {
  return await one(
    db
      .select({ ...surroundings, videos: shownVideos, accent: coverAccent, wide: wideCover })
      .from(games)
      .innerJoin(users, eq(users.id, games.ownerUid))
      .leftJoin(parent, isOpenParent)
      .where(eq(games.uid, uid)),
  )
}

export type CardRow = Awaited<ReturnType<typeof listPublicCards>>[number]

/** Omits listings that are not public; the order is undefined. */
export async function listPublicCards(db: Db, gameUids: readonly string[]) {
  return await publicCards(db).execute({ gameUids })
}

/** The same with those that are invisible. */
export async function listOpenCards(db: Db, gameUids: readonly string[]): Promise<CardRow[]> {
  return await openCards(db).execute({ gameUids })
}

/** Whatever their visibility: jams show them to who sees the jam. */
export async function listJamCards(db: Db, gameUids: readonly string[]): Promise<CardRow[]> {
  return await jamCards(db).execute({ gameUids })
}

/** All that cards show in one statement: with several, sending and planning them takes most of the time. */
const cardsThat = (isShown: SQL, name: string) =>
  buildOnce((db) => {
    const covers = selectCovers(db).as('covers')
    const tags = selectShownTags(db).as('shown_tags')
    const stable = selectStableFacts(db).as('stable')
    const health = selectStableBands(db).as('health')
    return db
      .select({
        ...surroundings,
        game: cardColumns,
        covers: covers.covers,
        communityTags: tags.communityTags,
        stable: stable.facts,
        bands: health.bands,
      })
      .from(games)
      .innerJoin(users, eq(users.id, games.ownerUid))
      .leftJoin(parent, isOpenParent)
      .leftJoin(covers, eq(covers.gameUid, games.uid))
      .leftJoin(tags, eq(tags.gameUid, games.uid))
      .leftJoin(stable, eq(stable.gameUid, games.uid))
      .leftJoin(health, eq(health.gameUid, games.uid))
      .where(and(anyOf(games.uid, sql.placeholder('gameUids')), isShown))
      .prepare(name)
  })
const publicCards = cardsThat(eq(games.visibility, 'public'), 'public_cards')
const openCards = cardsThat(inArray(games.visibility, OPEN_VISIBILITIES), 'open_cards')
const jamCards = cardsThat(isNull(games.takenDown), 'jam_cards')

const shownGame = {
  uid: games.uid,
  vanity_name: games.vanityName,
  name: games.name,
  asset_type: games.assetType,
}
const isPublic = eq(games.visibility, 'public')

/** The public listings it depends on, in the order of its developers. */
export async function listUses(db: Db, gameUid: string) {
  return await db
    .select({ kind: gameDependencies.kind, ...shownGame })
    .from(gameDependencies)
    .innerJoin(games, eq(games.uid, gameDependencies.targetUid))
    .where(and(eq(gameDependencies.gameUid, gameUid), isPublic))
    .orderBy(asc(gameDependencies.position))
}

/** The public listings that depend on it, newest first. */
export async function listUsedBy(db: Db, gameUid: string, limit: number) {
  return await db
    .select({ kind: gameDependencies.kind, ...shownGame })
    .from(gameDependencies)
    .innerJoin(games, eq(games.uid, gameDependencies.gameUid))
    .where(and(eq(gameDependencies.targetUid, gameUid), isPublic))
    .orderBy(desc(games.publishedAt), desc(games.uid), asc(gameDependencies.kind))
    .limit(limit)
}

export async function listSimilarTitles(db: Db, gameUid: string) {
  return await db
    .select({ ...shownGame, tagline: games.tagline, adult: games.adult })
    .from(gameSimilarTitles)
    .innerJoin(games, eq(games.uid, gameSimilarTitles.similarUid))
    .where(and(eq(gameSimilarTitles.gameUid, gameUid), isPublic))
    .orderBy(asc(gameSimilarTitles.position))
}

/** The uid makes the order stable for listings published at the same moment. */
const newest = [desc(games.publishedAt), desc(games.uid)]

function childrenOf(parentUid: string, kind: ChildKind | null) {
  const isMod = inArray(games.assetType, MODDING_TYPES)
  return and(
    eq(games.parentUid, parentUid),
    eq(games.visibility, 'public'),
    kind === null ? undefined : kind === 'mod' ? isMod : not(isMod),
  )
}

export async function pageChildren(
  db: Db,
  parentUid: string,
  kind: ChildKind | null,
  page: Page,
): Promise<Paged<{ uid: string }>> {
  const isChild = childrenOf(parentUid, kind)
  const rows = db
    .select({ uid: games.uid })
    .from(games)
    .where(isChild)
    .orderBy(...newest)
  return await pageOf(rows, db.$count(games, isChild), page)
}

/** `ref` is a uid or a username. */
export async function findDeveloper(db: Db, ref: string) {
  return await one(
    db
      .select({ uid: users.id, ...personColumns, createdAt: users.createdAt, suspendedAt: users.suspendedAt })
      .from(users)
      .where(isUid(ref) ? eq(users.id, ref) : eq(users.username, ref)),
  )
}

/** Whether it is a public listing of this developer, which this visitor may see. */
export async function isPublished(
  db: Db,
  ownerUid: string,
  uid: string,
  withAdult: boolean,
): Promise<boolean> {
  return (await db.$count(games, and(eq(games.uid, uid), isPublishedBy(ownerUid, withAdult)))) > 0
}

function isPublishedBy(ownerUid: string, withAdult: boolean) {
  const isShown = withAdult ? undefined : eq(games.adult, false)
  return and(eq(games.ownerUid, ownerUid), isPublic, isShown)
}

/** What is played, and what is made for it. */
export type DeveloperPart = 'games' | 'others'

const isGame = inArray(games.assetType, ['game', 'application'])
const isMild = eq(games.adult, false)

/** Counts a developer's public listings: all of them, and those that are not adult; each also without games. */
export async function countPublished(
  db: Db,
  ownerUid: string,
): Promise<Record<'all' | 'mild' | 'others' | 'mildOthers', number>> {
  const counted = (condition: SQL | undefined) => sql<number>`count(*) filter (where ${condition})::integer`
  const [row] = await db
    .select({
      all: count(),
      mild: counted(isMild),
      others: counted(not(isGame)),
      mildOthers: counted(and(isMild, not(isGame))),
    })
    .from(games)
    .where(isPublishedBy(ownerUid, true))
  return row ?? { all: 0, mild: 0, others: 0, mildOthers: 0 }
}

export async function listNamesPublished(db: Db, ownerUid: string, limit: number) {
  return await db
    .select({ uid: games.uid, name: games.name })
    .from(games)
    .where(isPublishedBy(ownerUid, true))
    .orderBy(...newest)
    .limit(limit)
}

/** Without a part all of them. */
export async function listPublished(
  db: Db,
  ownerUid: string,
  withAdult: boolean,
  part: DeveloperPart | null,
  page: Page,
): Promise<string[]> {
  const isPart = part === null ? undefined : part === 'games' ? isGame : not(isGame)
  const rows = await db
    .select({ uid: games.uid })
    .from(games)
    .where(and(isPublishedBy(ownerUid, withAdult), isPart))
    .orderBy(...newest)
    .limit(page.page_size)
    .offset(page.offset)
  return rows.map(({ uid }) => uid)
}

/** The prefix consists of tag characters only, so it needs no escaping for LIKE. */
export async function listPopularTags(
  db: Db,
  prefix: string,
  limit: number,
): Promise<{ tag: string; count: number }[]> {
  return await db
    .select()
    .from(tagCounts)
    .where(prefix === '' ? undefined : like(tagCounts.tag, `${prefix}%`))
    .orderBy(sql`${tagCounts.count} desc nulls last`, asc(tagCounts.tag))
    .limit(limit)
}

/** Must match the condition of the two partial indexes exactly. */
const isIndexed = sql`${games.visibility} = 'public' and ${games.indexable}`

export async function listIndexedGames(db: Db, after: string, limit: number) {
  return await db
    .select({ uid: games.uid, vanityName: games.vanityName, updatedAt: games.updatedAt })
    .from(games)
    .where(and(isIndexed, gt(games.uid, after)))
    .orderBy(asc(games.uid))
    .limit(limit)
}

interface IndexedDeveloper {
  uid: string
  username: string
  updatedAt: Date
}

/**
 * Every developer with an indexed listing and its newest change, from the highest uid down. A loose index scan: each
 * step jumps to the next owner, so the cost depends on the number of developers, not of listings.
 */
export async function listIndexedDevelopers(
  db: Db,
  before: string,
  limit: number,
): Promise<IndexedDeveloper[]> {
  const lastEntryBelow = (uid: ReturnType<typeof sql>) => sql`
    select ${games.ownerUid}, ${games.updatedAt} from ${games}
    where ${isIndexed} and ${games.ownerUid} < ${uid}
    order by ${games.ownerUid} desc, ${games.updatedAt} desc limit 1`
  const rows = await db.execute<{ uid: string; username: string; updated_at: string }>(sql`
    with recursive owners as (
      (${lastEntryBelow(sql`${before}::uuid`)})
      union all
      select next.* from owners, lateral (${lastEntryBelow(sql`owners.owner_uid`)}) as next
    ),
    page as (select * from owners limit ${limit})
    select page.owner_uid as uid, ${users.username}, page.updated_at
    from page join ${users} on ${users.id} = page.owner_uid
    order by page.owner_uid desc`)
  return rows.map(({ uid, username, updated_at }) => ({ uid, username, updatedAt: new Date(updated_at) }))
}
