import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lt, type SQL, sql } from 'drizzle-orm'

import { buildOnce, changed, type Db, one, pageOf, type Transaction } from '../../db/client.ts'
import { LOCKS } from '../../db/locks/locks.ts'
import { users } from '../../db/schema/accounts.ts'
import { promotionRequests } from '../../db/schema/approvals.ts'
import { apps, builds, files } from '../../db/schema/builds.ts'
import { deployKeys } from '../../db/schema/deploy-keys.ts'
import { gameAdmins, gameHistory } from '../../db/schema/games/game-pages.ts'
import { reviews } from '../../db/schema/games/game-players.ts'
import { gameDependencies, gameSimilarTitles } from '../../db/schema/games/game-relations.ts'
import { games, oldVanityNames } from '../../db/schema/games/games.ts'
import { jamPins, jams } from '../../db/schema/jams.ts'
import { noticeEvents } from '../../db/schema/notices.ts'
import { oauthClients, oauthConsents } from '../../db/schema/oauth.ts'
import { posts } from '../../db/schema/posts.ts'
import { publishers } from '../../db/schema/publishers.ts'
import { searchChanges } from '../../db/schema/search.ts'
import { OPEN_VISIBILITIES } from '../../domain/listings/visibility.ts'
import { NOTICE_BURST_SECONDS } from '../../domain/notices.ts'
import type { ApprovalKind } from '../../domain/reports.ts'
import { isUid } from '../../lib/ids.ts'
import type { Page, Paged } from '../../lib/paging.ts'

export type GameRow = typeof games.$inferSelect

export interface GameWithRole {
  game: GameRow
  /** Whether the caller is an admin who accepted the invite. */
  isAdmin: boolean
}

/** `ref` is a uid or a vanity name. */
const named = (ref: string) => (isUid(ref) ? eq(games.uid, ref) : eq(games.vanityName, ref))

export async function findGameWithRole(
  db: Db,
  ref: string,
  userUid: string,
  lock: boolean,
): Promise<GameWithRole | undefined> {
  const query = db
    .select({ game: games, adminUid: gameAdmins.uid })
    .from(games)
    .leftJoin(
      gameAdmins,
      and(
        eq(gameAdmins.gameUid, games.uid),
        eq(gameAdmins.userUid, userUid),
        isNotNull(gameAdmins.acceptedAt),
      ),
    )
    .where(named(ref))
  // The weaker lock: rows that reference the listing can still be inserted.
  const [row] = await (lock ? query.for('no key update', { of: games }) : query)
  return row && { game: row.game, isAdmin: row.adminUid !== null }
}

export async function findOpenGame(db: Db, ref: string): Promise<GameRow | undefined> {
  return await one(
    db
      .select()
      .from(games)
      .where(and(named(ref), inArray(games.visibility, OPEN_VISIBILITIES))),
  )
}

/** The current name of an open listing that was renamed from `name`. */
export async function findCurrentName(db: Db, name: string): Promise<string | undefined> {
  const [row] = await db
    .select({ vanityName: games.vanityName })
    .from(oldVanityNames)
    .innerJoin(games, eq(games.uid, oldVanityNames.gameUid))
    .where(and(eq(oldVanityNames.name, name), inArray(games.visibility, OPEN_VISIBILITIES)))
  return row?.vanityName
}

/** The title of a jam that lets people play this build, or any of the listing. */
export async function findPinningJam(
  db: Db,
  gameUid: string,
  buildUid: string | null,
): Promise<string | undefined> {
  const [row] = await db
    .select({ title: jams.title })
    .from(jamPins)
    .innerJoin(files, eq(files.uid, jamPins.fileUid))
    .innerJoin(jams, eq(jams.uid, jamPins.jamUid))
    .where(and(eq(files.gameUid, gameUid), buildUid === null ? undefined : eq(files.buildUid, buildUid)))
    .limit(1)
  return row?.title
}

export async function touchGame(db: Db, uid: string): Promise<void> {
  await db.update(games).set({ updatedAt: new Date() }).where(eq(games.uid, uid))
}

/** Every listing whose page shows this one: its parent, its children, and both ends of its links. */
export async function listNeighbours(db: Db, uid: string, limit: number): Promise<string[]> {
  const rows = await db.execute<{ uid: string }>(sql`
    select distinct uid from (
      select parent_uid as uid from ${games} where uid = ${uid}
      union all select uid from ${games} where parent_uid = ${uid}
      union all select target_uid from ${gameDependencies} where game_uid = ${uid}
      union all select game_uid from ${gameDependencies} where target_uid = ${uid}
      union all select game_uid from ${gameSimilarTitles} where similar_uid = ${uid}
    ) as near where uid is not null limit ${limit}`)
  return rows.map((row) => row.uid)
}

/** Every page that shows the name of this account: its own, those around them, and those it reviewed. */
export async function listPagesNaming(db: Db, userUid: string, limit: number): Promise<string[]> {
  const rows = await db.execute<{ uid: string }>(sql`
    with own as (select uid, parent_uid from ${games} where owner_uid = ${userUid})
    select distinct uid from (
      select uid from own
      union all select parent_uid from own
      union all select child.uid from ${games} as child join own on child.parent_uid = own.uid
      union all select target_uid from ${gameDependencies} join own on game_uid = own.uid
      union all select game_uid from ${gameDependencies} join own on target_uid = own.uid
      union all select game_uid from ${gameSimilarTitles} join own on similar_uid = own.uid
      union all select game_uid from ${reviews} where user_uid = ${userUid}
    ) as naming where uid is not null limit ${limit}`)
  return rows.map((row) => row.uid)
}

export async function insertSearchChange(db: Db, gameUid: string): Promise<void> {
  await db.insert(searchChanges).values({ gameUid })
}

export async function insertSearchChangesOf(db: Db, ownerUid: string): Promise<void> {
  const isListed = and(eq(games.ownerUid, ownerUid), eq(games.visibility, 'public'))
  const listed = db.select({ gameUid: games.uid }).from(games).where(isListed)
  await db.execute(sql`insert into ${searchChanges} (game_uid) ${listed}`)
}

/**
 * The listings that are no longer in the state given; usually none. A state is written as `stateOf` does, without the
 * uid; the empty one is that of every listing that is not public.
 */
export async function listOutdated(db: Db, uids: readonly string[], states: readonly string[]) {
  return await outdated(db).execute({ uids, states })
}

const outdated = buildOnce((db) =>
  db
    .select({ uid: sql<string>`known.uid`, state: sql<string>`known.state` })
    .from(
      sql`unnest(${sql.placeholder('uids')}::uuid[], ${sql.placeholder('states')}::text[]) as known (uid, state)
      left join ${games} on games.uid = known.uid`,
    )
    .where(
      sql`case when known.state = '' then games.visibility = 'public' else
      concat_ws(' ', games.visibility, case when games.adult then 'true' else 'false' end,
        (extract(epoch from games.updated_at) * 1000)::bigint) <> known.state end`,
    )
    .prepare('outdated_games'),
)

export async function findAgentNames(db: Db, userUid: string, clientId: string) {
  return await one(
    db
      .select({ username: users.username, program: oauthClients.name })
      .from(users)
      .leftJoin(oauthClients, eq(oauthClients.clientId, clientId))
      .where(eq(users.id, userUid)),
  )
}

export async function insertChange(tx: Transaction, values: typeof gameHistory.$inferInsert): Promise<void> {
  await tx.insert(gameHistory).values(values)
}

export async function listChanges(
  db: Db,
  gameUid: string,
  page: Page,
): Promise<Paged<typeof gameHistory.$inferSelect>> {
  const of = eq(gameHistory.gameUid, gameUid)
  const newest = db.select().from(gameHistory).where(of).orderBy(desc(gameHistory.uid))
  return await pageOf(newest, db.$count(gameHistory, of), page)
}

export type OpenRequest = NonNullable<Awaited<ReturnType<typeof findOpenRequest>>>

/** A request counts only while whoever asked is in the team, not suspended, and still allows the program. */
const mayStillAsk = sql`exists (
  select 1 from ${users}
  left join ${gameAdmins} on ${gameAdmins.gameUid} = ${games.uid} and ${gameAdmins.userUid} = ${users.id}
  where ${users.id} = ${promotionRequests.requestedBy}
    and ${users.suspendedAt} is null
    and (${games.ownerUid} = ${users.id} or ${gameAdmins.acceptedAt} is not null)
    and (${promotionRequests.clientId} is null or exists (
      select 1 from ${oauthConsents}
      where ${oauthConsents.userId} = ${users.id} and ${oauthConsents.clientId} = ${promotionRequests.clientId})))`

const isOpen = (now: Date) => and(isNull(promotionRequests.decidedAt), gt(promotionRequests.expiresAt, now))

const selectOpen = (db: Db, now: Date, which: SQL) =>
  db
    .select({
      request: promotionRequests,
      listing: games.name,
      ownerUid: games.ownerUid,
      app: { slug: apps.slug, name: apps.name },
      build: { version: builds.version, os: builds.os, arch: builds.arch, title: builds.title },
      post: { title: posts.title, markdown: posts.markdown },
      jam: { title: jams.title, slug: jams.slug },
    })
    .from(promotionRequests)
    .innerJoin(games, eq(games.uid, promotionRequests.gameUid))
    .leftJoin(builds, eq(builds.uid, promotionRequests.buildUid))
    .leftJoin(apps, eq(apps.uid, builds.appUid))
    .leftJoin(posts, eq(posts.uid, promotionRequests.postUid))
    .leftJoin(jams, eq(jams.uid, promotionRequests.jamUid))
    .where(and(which, isOpen(now), mayStillAsk))

export async function findOpenRequest(db: Db, tokenHash: string, now: Date) {
  return await one(selectOpen(db, now, eq(promotionRequests.tokenHash, tokenHash)))
}

/** Oldest first. */
export async function listOpenRequests(db: Db, gameUid: string, kind: ApprovalKind, now: Date) {
  const isThis = and(eq(promotionRequests.gameUid, gameUid), eq(promotionRequests.kind, kind)) as SQL
  return await selectOpen(db, now, isThis).orderBy(promotionRequests.uid)
}

export async function findOpenRequestByUid(db: Db, gameUid: string, uid: string, now: Date) {
  const isThis = and(eq(promotionRequests.gameUid, gameUid), eq(promotionRequests.uid, uid)) as SQL
  return await one(selectOpen(db, now, isThis))
}

export async function insertRequest(db: Db, values: typeof promotionRequests.$inferInsert): Promise<void> {
  await db.insert(promotionRequests).values(values)
}

/** Returns false when it was already decided. */
export async function markDecided(db: Db, uid: string, now: Date): Promise<boolean> {
  return await changed(
    db
      .update(promotionRequests)
      .set({ decidedAt: now })
      .where(and(eq(promotionRequests.uid, uid), isOpen(now))),
  )
}

export async function deleteExpiredRequests(db: Db, gameUid: string, now: Date): Promise<void> {
  await db
    .delete(promotionRequests)
    .where(and(eq(promotionRequests.gameUid, gameUid), lt(promotionRequests.expiresAt, now)))
}

export async function findRecipient(db: Db, userUid: string) {
  return await one(
    db.select({ name: users.name, email: users.email }).from(users).where(eq(users.id, userUid)),
  )
}

/** The listings that this person helps run, locked against edits, always in the same order. */
export async function lockAdministered(tx: Transaction, userUid: string): Promise<void> {
  const administered = tx
    .select({ uid: gameAdmins.gameUid })
    .from(gameAdmins)
    .where(eq(gameAdmins.userUid, userUid))
  await tx
    .select({ uid: games.uid })
    .from(games)
    .where(inArray(games.uid, administered))
    .orderBy(asc(games.uid))
    .for('no key update')
}

/** `gameUid` null means every listing. */
export async function deletePublishersBy(tx: Transaction, userUid: string, gameUid: string | null) {
  return await tx
    .delete(publishers)
    .where(
      and(eq(publishers.addedBy, userUid), gameUid === null ? undefined : eq(publishers.gameUid, gameUid)),
    )
    .returning()
}

/** Includes the keys that pipelines got through this person's publishers. */
export async function revokeKeysBy(tx: Transaction, userUid: string, gameUid: string | null) {
  return await tx
    .update(deployKeys)
    .set({ revokedAt: new Date() })
    .where(
      and(
        eq(deployKeys.issuedBy, userUid),
        isNull(deployKeys.revokedAt),
        gameUid === null ? undefined : eq(deployKeys.gameUid, gameUid),
      ),
    )
    .returning()
}

export async function listOwners(tx: Transaction, gameUids: readonly string[]) {
  return await tx
    .select({
      uid: games.uid,
      name: games.name,
      vanityName: games.vanityName,
      owner: { email: users.email, name: users.name },
    })
    .from(games)
    .innerJoin(users, eq(users.id, games.ownerUid))
    .where(inArray(games.uid, [...gameUids]))
}

type NoticeEventInput = typeof noticeEvents.$inferInsert

/** Returns its uid, or undefined if it was recorded before. The lock lets digests wait for events that are being recorded. */
export async function insertNoticeEvent(
  tx: Transaction,
  event: NoticeEventInput,
): Promise<string | undefined> {
  await tx.execute(sql`select pg_advisory_xact_lock_shared(${LOCKS.noticeEvents})`)
  const row = await one(
    tx
      .insert(noticeEvents)
      .values({ ...event, burstAt: burstOf(event) })
      .onConflictDoNothing()
      .returning({ uid: noticeEvents.uid }),
  )
  return row?.uid
}

export async function deleteNoticeEvent(db: Db, onceKey: string) {
  return await one(
    db
      .delete(noticeEvents)
      .where(eq(noticeEvents.onceKey, onceKey))
      .returning({ userUid: noticeEvents.userUid }),
  )
}

/** The burst of the events before about the same listing for the same readers, if that began just now. */
function burstOf({ gameUid, userUid }: NoticeEventInput) {
  if (!gameUid) return sql`clock_timestamp()`
  const began = sql`clock_timestamp() - make_interval(secs => ${NOTICE_BURST_SECONDS})`
  const isSame = and(
    eq(noticeEvents.gameUid, gameUid),
    userUid ? eq(noticeEvents.userUid, userUid) : isNull(noticeEvents.userUid),
    gt(noticeEvents.at, began),
    gt(noticeEvents.burstAt, began),
  )
  return sql`coalesce((select max(${noticeEvents.burstAt}) from ${noticeEvents} where ${isSame}), clock_timestamp())`
}
