import { and, eq, inArray, isNotNull, isNull, lt, or, sql } from 'drizzle-orm'

import { type Db, one, unnest } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { extstoreLinks, extstoreRevocations, extstoreSessions } from '../../../db/schema/extstore.ts'
import { games } from '../../../db/schema/games/games.ts'
import { OPEN_VISIBILITIES } from '../../../domain/listings/visibility.ts'
import { isUid } from '../../../lib/ids.ts'
import { lockGameRow } from '../../games/shared-queries.ts'
import { EVERY_PLAYER } from '../link/model.ts'

export interface GameLink {
  gameUid: string
  /** null: not linked; the keys are null while sign-in is off. */
  appId: number | null
  authKey: string | null
  ticketKey: string | null
  webApiKey: string | null
}

/**
 * Names only resolve to open listings, so that guessing them reveals nothing about hidden ones. A hidden
 * listing is addressed by its uid, which the sign-in settings show once it is linked.
 */
const reachable = (ref: string) => {
  const isOpen = inArray(games.visibility, OPEN_VISIBILITIES)
  if (!isUid(ref)) return and(eq(games.vanityName, ref), isOpen)
  return and(eq(games.uid, ref), or(isOpen, isNotNull(extstoreLinks.gameUid)))
}

export async function findGameLink(db: Db, ref: string): Promise<GameLink | undefined> {
  return await one(
    db
      .select({
        gameUid: games.uid,
        appId: extstoreLinks.appId,
        authKey: extstoreLinks.authKey,
        ticketKey: extstoreLinks.ticketKey,
        webApiKey: extstoreLinks.webApiKey,
      })
      .from(games)
      .leftJoin(extstoreLinks, eq(extstoreLinks.gameUid, games.uid))
      .where(reachable(ref)),
  )
}

/** The link whose auth key has this hash, and links whose hash is not recorded, up to `limit`. */
export async function listKeysLike(db: Db, hash: string, limit: number) {
  const { gameUid, authKey, authKeyHash } = extstoreLinks
  const rows = await db
    .select({ gameUid, authKey, authKeyHash })
    .from(extstoreLinks)
    .where(and(isNotNull(authKey), or(eq(authKeyHash, hash), isNull(authKeyHash))))
    .orderBy(authKeyHash)
    .limit(limit)
  return rows.flatMap((row) => (row.authKey === null ? [] : [{ ...row, authKey: row.authKey }]))
}

/** Does nothing if the key was replaced meanwhile. */
export async function saveKeyHash(
  db: Db,
  { gameUid, authKey, hash }: { gameUid: string; authKey: string; hash: string },
): Promise<void> {
  await db
    .update(extstoreLinks)
    .set({ authKeyHash: hash })
    .where(and(eq(extstoreLinks.gameUid, gameUid), eq(extstoreLinks.authKey, authKey)))
}

export type AskedSession = {
  gameUid: string
  jti: string
}

export type FoundSession = AskedSession & {
  appId: string
  authKey: string | null
  webApiKey: string | null
  /** null: the game has no such session. */
  extstoreId: string | null
  isRevoked: boolean
  /** The user who has the account linked now. */
  userUid: string | null
  username: string | null
}

/** Everything needed to verify tokens. Omits listings that are not linked. */
export async function listSessions(db: Db, asked: readonly AskedSession[]): Promise<FoundSession[]> {
  return await db.execute<FoundSession>(sql`
    select asked.game_uid as "gameUid", asked.jti, link.app_id as "appId", link.auth_key as "authKey",
      link.web_api_key as "webApiKey", session.extstore_id as "extstoreId", person.id as "userUid", person.username,
      session.revoked_at is not null or exists (
        select from extstore_revocations as ended
        where ended.game_uid = session.game_uid and ended.extstore_id in (session.extstore_id, ${EVERY_PLAYER})
          and ended.revoked_at >= session.created_at
      ) as "isRevoked"
    from ${unnest(asked, { gameUid: 'uuid', jti: 'uuid' })} as asked (game_uid, jti)
    join extstore_links as link on link.game_uid = asked.game_uid
    left join extstore_sessions as session on session.uid = asked.jti and session.game_uid = link.game_uid
    left join users as person on person.extstore_id = session.extstore_id`)
}

/**
 * Sign-ins share the lock; revocations and key changes take it exclusively, so every token is issued either
 * before or after them. Locks the listing first, in the same order as its deletion.
 */
export async function lockLink(db: Db, gameUid: string, how: 'share' | 'no key update') {
  await lockGameRow(db, gameUid, 'key share')
  return await one(db.select().from(extstoreLinks).where(eq(extstoreLinks.gameUid, gameUid)).for(how))
}

/** When the player's tokens, or all tokens of the game, were last revoked at once. */
const endedAt = (gameUid: string, extstoreId: unknown) => sql`(
  select max(ended.revoked_at) from ${extstoreRevocations} as ended
  where ended.game_uid = ${gameUid} and ended.extstore_id in (${extstoreId}, ${EVERY_PLAYER}))`

interface NewSession {
  uid: string
  gameUid: string
  extstoreId: string
  ownerExtstoreId: string | null
  ip: string
  expiresAt: Date
}

/** Needs the link's lock. Dates the session after any revocation so far. Returns the linked user. */
export async function insertSession(db: Db, session: NewSession): Promise<string | null> {
  const { gameUid, extstoreId } = session
  const [row] = await db
    .insert(extstoreSessions)
    .values({
      ...session,
      userUid: sql`(select ${users.id} from ${users} where ${users.extstoreId} = ${extstoreId})`,
      createdAt: sql`greatest(clock_timestamp(), ${endedAt(gameUid, extstoreId)} + interval '1 millisecond')`,
    })
    .returning({ userUid: extstoreSessions.userUid })
  return row?.userUid ?? null
}

/** Returns the expiry of the revoked token; undefined if it was already over, or never existed. */
export async function endSession(db: Db, gameUid: string, jti: string): Promise<Date | undefined> {
  const [row] = await db
    .update(extstoreSessions)
    .set({ revokedAt: sql`clock_timestamp()` })
    .where(
      and(
        eq(extstoreSessions.uid, jti),
        eq(extstoreSessions.gameUid, gameUid),
        isNull(extstoreSessions.revokedAt),
        sql`${extstoreSessions.createdAt} > coalesce(${endedAt(gameUid, extstoreSessions.extstoreId)}, '-infinity')`,
      ),
    )
    .returning({ expiresAt: extstoreSessions.expiresAt })
  return row?.expiresAt
}

/**
 * Needs the link's exclusive lock. One row revokes all tokens; it is written only if a token could still be
 * used or refreshed. Returns how many were valid.
 */
export async function endPlayer(
  db: Db,
  gameUid: string,
  extstoreId: string,
  { now, refreshableSince }: { now: Date; refreshableSince: Date },
): Promise<number> {
  const [row] = await db.execute<{ valid: number }>(sql`
    with usable as (
      select count(*) filter (where expires_at > ${now.toISOString()})::int as valid, max(created_at) as newest
      from ${extstoreSessions}
      where game_uid = ${gameUid} and extstore_id = ${extstoreId}
        and expires_at > ${refreshableSince.toISOString()} and revoked_at is null
        and created_at > coalesce(${endedAt(gameUid, extstoreId)}, '-infinity')
    ), ended as (
      insert into ${extstoreRevocations} (game_uid, extstore_id, revoked_at)
      select ${gameUid}, ${extstoreId}, greatest(clock_timestamp(), newest) from usable where newest is not null
      on conflict (game_uid, extstore_id) do update set revoked_at = excluded.revoked_at
    )
    select valid from usable`)
  return row?.valid ?? 0
}

/** Returns how many it deleted. */
export async function deleteSessions(db: Db, expiredBefore: Date, limit: number): Promise<number> {
  const due = db
    .select({ uid: extstoreSessions.uid })
    .from(extstoreSessions)
    .where(lt(extstoreSessions.expiresAt, expiredBefore))
    .limit(limit)
  const result = await db.delete(extstoreSessions).where(sql`${extstoreSessions.uid} in (${due})`)
  return result.count
}

export async function deleteRevocations(db: Db, revokedBefore: Date): Promise<void> {
  await db.delete(extstoreRevocations).where(lt(extstoreRevocations.revokedAt, revokedBefore))
}
