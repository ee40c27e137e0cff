import { and, eq, gt, isNull, lt, type SQL, sql } from 'drizzle-orm'

import type { Db } from '../../db/client.ts'
import { users } from '../../db/schema/accounts.ts'
import { apps, builds } from '../../db/schema/builds.ts'
import { promotionRequests } from '../../db/schema/channels.ts'
import { gameAdmins } from '../../db/schema/games/game-team.ts'
import { games } from '../../db/schema/games/games.ts'
import { oauthConsents } from '../../db/schema/oauth.ts'
import type { ApprovalKind } from '../../domain/approvals.ts'

export type OpenRequest = NonNullable<Awaited<ReturnType<typeof findOpenRequest>>>

/** A request ends with the right of whoever asked: their place in the team, their account, their consent to the program. */
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
    })
    .from(promotionRequests)
    .innerJoin(games, eq(games.uid, promotionRequests.gameUid))
    .leftJoin(builds, eq(builds.uid, promotionRequests.buildUid))
    .leftJoin(apps, eq(apps.uid, builds.appUid))
    .where(and(which, isOpen(now), mayStillAsk))

export async function findOpenRequest(db: Db, tokenHash: string, now: Date) {
  const [row] = await selectOpen(db, now, eq(promotionRequests.tokenHash, tokenHash))
  return row
}

/** Oldest first. */
export async function listOpenRequests(db: Db, gameUid: string, kind: ApprovalKind, now: Date) {
  const isThis = and(eq(promotionRequests.gameUid, gameUid), eq(promotionRequests.kind, kind)) as SQL
  return await selectOpen(db, now, isThis).orderBy(promotionRequests.uid)
}

export async function findOpenRequestByUid(db: Db, gameUid: string, uid: string, now: Date) {
  const isThis = and(eq(promotionRequests.gameUid, gameUid), eq(promotionRequests.uid, uid)) as SQL
  const [row] = await selectOpen(db, now, isThis)
  return row
}

export async function insertRequest(db: Db, values: typeof promotionRequests.$inferInsert): Promise<void> {
  await db.insert(promotionRequests).values(values)
}

/** Returns false when it was already decided. */
export async function markDecided(db: Db, uid: string, now: Date): Promise<boolean> {
  const rows = await db
    .update(promotionRequests)
    .set({ decidedAt: now })
    .where(and(eq(promotionRequests.uid, uid), isOpen(now)))
    .returning({ uid: promotionRequests.uid })
  return rows.length > 0
}

export async function deleteExpiredRequests(db: Db, gameUid: string, now: Date): Promise<void> {
  await db
    .delete(promotionRequests)
    .where(and(eq(promotionRequests.gameUid, gameUid), lt(promotionRequests.expiresAt, now)))
}

export async function findRecipient(db: Db, userUid: string) {
  const [row] = await db
    .select({ name: users.name, email: users.email })
    .from(users)
    .where(eq(users.id, userUid))
  return row
}
