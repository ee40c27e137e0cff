import { and, eq, gte, type SQL, sql } from 'drizzle-orm'

import { changed, type Db, one, type Transaction } from '../../../db/client.ts'
import { LOCKS } from '../../../db/locks/locks.ts'
import { personColumns } from '../../../db/person-columns.ts'
import { users } from '../../../db/schema/accounts.ts'
import { developerFollows, gameFollows, wishlistShares } from '../../../db/schema/follows.ts'
import { games } from '../../../db/schema/games/games.ts'
import { jamMembers } from '../../../db/schema/jams.ts'
import { OPERATING_SYSTEMS, type OperatingSystem } from '../../../domain/builds/platforms.ts'
import { FOLLOWS_MAX } from '../../../domain/follows.ts'
import { isUid } from '../../../lib/ids.ts'

export type GameFollowRow = typeof gameFollows.$inferSelect
export type DeveloperFollowRow = typeof developerFollows.$inferSelect
export type GameChoices = Pick<GameFollowRow, 'releases' | 'posts' | 'platforms' | 'wish'>
export type DeveloperChoices = Pick<DeveloperFollowRow, 'newGames' | 'posts'>

/** Serialises the changes of one account until the transaction ends. */
export async function lockFollows(tx: Transaction, userUid: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${LOCKS.follows}, hashtext(${userUid}))`)
}

/** A wish alone is no follow. */
const isFollow = sql`(${gameFollows.releases} or ${gameFollows.posts} or not ${gameFollows.wish})`

const byUser = (userUid: string, gameUid: string) =>
  and(eq(gameFollows.userUid, userUid), eq(gameFollows.gameUid, gameUid))

export async function findGameFollow(
  db: Db,
  userUid: string,
  gameUid: string,
): Promise<GameFollowRow | undefined> {
  return await one(db.select().from(gameFollows).where(byUser(userUid, gameUid)))
}

export async function countFollows(db: Db, userUid: string): Promise<number> {
  const [row] = await db.execute<{ count: number }>(sql`
    select (select count(*) from ${gameFollows} where ${gameFollows.userUid} = ${userUid})::integer
      + (select count(*) from ${developerFollows} where ${developerFollows.userUid} = ${userUid})::integer as count`)
  return row?.count ?? 0
}

const osList = (systems: readonly OperatingSystem[]) => sql`${sql.param([...systems])}::text[]`

/** Returns false when listing or account is being deleted. What happened before one followed is not told later. */
export async function upsertGameFollow(
  tx: Transaction,
  userUid: string,
  gameUid: string,
  { releases, posts, platforms, wish }: GameChoices,
): Promise<boolean> {
  return await changed(
    tx.execute(sql`
    insert into ${gameFollows} (user_uid, game_uid, releases, posts, platforms, wish, wished_price_cents, wished_at, created_at)
    select ${users.id}, ${games.uid}, ${releases}, ${posts}, ${osList(platforms)}, ${wish},
      case when ${wish} then ${games.priceCents} end, case when ${wish} then clock_timestamp() end, clock_timestamp()
    from ${games}, ${users} where ${games.uid} = ${gameUid} and ${users.id} = ${userUid}
    for key share
    on conflict (user_uid, game_uid) do update set
      releases = excluded.releases, posts = excluded.posts, platforms = excluded.platforms, wish = excluded.wish,
      position = case when excluded.wish then ${gameFollows.position} end,
      wished_price_cents = case when not excluded.wish then null when ${gameFollows.wish}
        then ${gameFollows.wishedPriceCents} else excluded.wished_price_cents end,
      wished_at = case when not excluded.wish then null when ${gameFollows.wish}
        then ${gameFollows.wishedAt} else excluded.wished_at end,
      created_at = case when ${isFollow} then ${gameFollows.createdAt} else excluded.created_at end`),
  )
}

/** Numbers the wishlist from 1 without gaps. The listing that moves gets its place, at most the last one; null: the last. */
export async function orderWishes(
  tx: Transaction,
  userUid: string,
  moved: { gameUid: string; position: number | null } | null,
): Promise<void> {
  const gameUid = moved?.gameUid ?? null
  await tx.execute(sql`
    with others as (
      select ${gameFollows.gameUid} as game_uid,
        row_number() over (order by ${gameFollows.position}, ${gameFollows.wishedAt}, ${gameFollows.gameUid}) as rank
      from ${gameFollows}
      where ${gameFollows.userUid} = ${userUid} and ${gameFollows.wish}
        and ${gameFollows.gameUid} is distinct from ${gameUid}::uuid
    ), place as (
      select least(${moved?.position ?? null}::integer, (select count(*) from others) + 1) as at
    ), ranked as (
      select game_uid, rank + case when ${gameUid}::uuid is not null and rank >= at then 1 else 0 end as position
      from others, place
      union all select ${gameUid}::uuid, at from place where ${gameUid}::uuid is not null
    )
    update ${gameFollows} set position = ranked.position from ranked
    where ${gameFollows.userUid} = ${userUid} and ${gameFollows.gameUid} = ranked.game_uid
      and ${gameFollows.position} is distinct from ranked.position`)
}

export async function deleteGameFollow(
  tx: Transaction,
  userUid: string,
  gameUid: string,
): Promise<GameFollowRow | undefined> {
  return await one(tx.delete(gameFollows).where(byUser(userUid, gameUid)).returning())
}

/** Whether the account wants to follow what it adds to its library. */
export async function findFollowsLibrary(tx: Transaction, userUid: string): Promise<boolean> {
  const row = await one(tx.select({ follows: users.followLibrary }).from(users).where(eq(users.id, userUid)))
  return row?.follows ?? false
}

/** Somebody with a public listing; `ref` is a uid or a username. */
export async function findPublisher(db: Db, ref: string) {
  return await one(
    db
      .select({ uid: users.id, ...personColumns })
      .from(users)
      .where(
        and(
          isUid(ref) ? eq(users.id, ref) : eq(users.username, ref),
          sql`exists (select 1 from ${games} where ${games.ownerUid} = ${users.id} and ${games.visibility} = 'public')`,
        ),
      ),
  )
}

export async function findUid(db: Db, username: string): Promise<string | undefined> {
  return (await one(db.select({ uid: users.id }).from(users).where(eq(users.username, username))))?.uid
}

export async function hasDeveloperFollow(db: Db, userUid: string, developerUid: string): Promise<boolean> {
  const isIt = and(eq(developerFollows.userUid, userUid), eq(developerFollows.developerUid, developerUid))
  return (await db.$count(developerFollows, isIt)) > 0
}

/** Returns false when one of the accounts is being deleted. */
export async function upsertDeveloperFollow(
  tx: Transaction,
  userUid: string,
  developerUid: string,
  { newGames, posts }: DeveloperChoices,
): Promise<boolean> {
  return await changed(
    tx.execute(sql`
    insert into ${developerFollows} (user_uid, developer_uid, new_games, posts, created_at)
    select follower.id, developer.id, ${newGames}, ${posts}, clock_timestamp()
    from ${users} as follower, ${users} as developer
    where follower.id = ${userUid} and developer.id = ${developerUid}
    for key share
    on conflict (user_uid, developer_uid) do update set new_games = excluded.new_games, posts = excluded.posts`),
  )
}

export async function deleteDeveloperFollow(
  tx: Transaction,
  userUid: string,
  developerUid: string,
): Promise<boolean> {
  return await changed(
    tx
      .delete(developerFollows)
      .where(and(eq(developerFollows.userUid, userUid), eq(developerFollows.developerUid, developerUid))),
  )
}

/** The uids of everything that the account follows, bounded by FOLLOWS_MAX, and of the newest jams that it joined. */
export async function listFollowed(db: Db, userUid: string) {
  return await db.execute<{
    uid: string
    kind: 'game' | 'developer' | 'jam'
    follows: boolean
    wish: boolean
  }>(sql`
    select ${gameFollows.gameUid} as uid, 'game' as kind, ${isFollow} as follows, ${gameFollows.wish} as wish
    from ${gameFollows} where ${gameFollows.userUid} = ${userUid}
    union all
    select ${developerFollows.developerUid}, 'developer', true, false
    from ${developerFollows} where ${developerFollows.userUid} = ${userUid}
    union all
    (select ${jamMembers.jamUid}, 'jam', true, false
    from ${jamMembers} where ${jamMembers.userUid} = ${userUid}
    order by ${jamMembers.createdAt} desc limit ${FOLLOWS_MAX})`)
}

/** Per listing: who follows it, since when, for which systems, and who wishes it. */
export async function countFollowers(db: Db, gameUid: string, since: Date) {
  const counted = (condition: SQL) => sql<number>`count(*) filter (where ${condition})::integer`
  const perSystem = OPERATING_SYSTEMS.map(
    (os) => [os, counted(sql`${isFollow} and ${os} = any(${gameFollows.platforms})`)] as const,
  )
  const [row] = await db
    .select({
      total: counted(isFollow),
      recent: counted(and(isFollow, gte(gameFollows.createdAt, since)) as SQL),
      wishes: counted(sql`${gameFollows.wish}`),
      everySystem: counted(sql`${isFollow} and cardinality(${gameFollows.platforms}) = 0`),
      ...(Object.fromEntries(perSystem) as Record<OperatingSystem, SQL<number>>),
    })
    .from(gameFollows)
    .where(eq(gameFollows.gameUid, gameUid))
  return row
}

export async function countDeveloperFollowers(db: Db, developerUid: string): Promise<number> {
  return await db.$count(developerFollows, eq(developerFollows.developerUid, developerUid))
}

export async function findShare(db: Db, userUid: string) {
  return await one(db.select().from(wishlistShares).where(eq(wishlistShares.userUid, userUid)))
}

/** Suspended accounts share nothing. */
export async function findSharer(db: Db, tokenHash: string) {
  return await one(
    db
      .select({ uid: users.id, ...personColumns })
      .from(wishlistShares)
      .innerJoin(users, eq(users.id, wishlistShares.userUid))
      .where(and(eq(wishlistShares.tokenHash, tokenHash), sql`${users.suspendedAt} is null`)),
  )
}

/** Returns false when it is shared already. */
export async function insertShare(db: Db, values: typeof wishlistShares.$inferInsert): Promise<boolean> {
  return await changed(db.insert(wishlistShares).values(values).onConflictDoNothing())
}

export async function deleteShare(db: Db, userUid: string): Promise<void> {
  await db.delete(wishlistShares).where(eq(wishlistShares.userUid, userUid))
}
