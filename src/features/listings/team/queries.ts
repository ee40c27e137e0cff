import { and, asc, desc, eq, isNull, sql } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { extstoreLinks } from '../../../db/schema/extstore.ts'
import { gameAdmins } from '../../../db/schema/games/game-team.ts'
import { games } from '../../../db/schema/games/games.ts'
import type { Page } from '../../../lib/paging.ts'

const ADMIN = {
  userUid: gameAdmins.userUid,
  username: users.username,
  invitedAt: gameAdmins.createdAt,
  acceptedAt: gameAdmins.acceptedAt,
}

const INVITE = {
  uid: gameAdmins.uid,
  game: { uid: games.uid, vanity_name: games.vanityName, name: games.name },
  invitedBy: users.username,
  createdAt: gameAdmins.createdAt,
  acceptedAt: gameAdmins.acceptedAt,
}

export type AdminRow = Awaited<ReturnType<typeof listAdmins>>[number]
export type InviteRow = Awaited<ReturnType<typeof listInvites>>[number]

const isPendingOf = (userUid: string) => and(eq(gameAdmins.userUid, userUid), isNull(gameAdmins.acceptedAt))

export async function listAdmins(db: Db, gameUid: string, page: Page) {
  return await db
    .select(ADMIN)
    .from(gameAdmins)
    .innerJoin(users, eq(users.id, gameAdmins.userUid))
    .where(eq(gameAdmins.gameUid, gameUid))
    .orderBy(asc(gameAdmins.uid))
    .limit(page.page_size)
    .offset(page.offset)
}

export async function countAdmins(db: Db, gameUid: string): Promise<number> {
  return await db.$count(gameAdmins, eq(gameAdmins.gameUid, gameUid))
}

export async function findAdmin(db: Db, gameUid: string, userUid: string): Promise<AdminRow | undefined> {
  const [row] = await db
    .select(ADMIN)
    .from(gameAdmins)
    .innerJoin(users, eq(users.id, gameAdmins.userUid))
    .where(and(eq(gameAdmins.gameUid, gameUid), eq(gameAdmins.userUid, userUid)))
  return row
}

export async function insertInvite(db: Db, gameUid: string, userUid: string) {
  const [row] = await db.insert(gameAdmins).values({ gameUid, userUid }).returning({
    userUid: gameAdmins.userUid,
    invitedAt: gameAdmins.createdAt,
    acceptedAt: gameAdmins.acceptedAt,
  })
  if (!row) throw new Error('The invite was not stored')
  return row
}

export async function deleteAdmin(db: Db, gameUid: string, userUid: string): Promise<void> {
  await db.delete(gameAdmins).where(and(eq(gameAdmins.gameUid, gameUid), eq(gameAdmins.userUid, userUid)))
}

export async function findUserAddress(db: Db, uid: string) {
  const [row] = await db.select({ email: users.email, name: users.name }).from(users).where(eq(users.id, uid))
  return row
}

export async function listInvites(db: Db, userUid: string, page: Page) {
  return await db
    .select(INVITE)
    .from(gameAdmins)
    .innerJoin(games, eq(games.uid, gameAdmins.gameUid))
    .innerJoin(users, eq(users.id, games.ownerUid))
    .where(isPendingOf(userUid))
    .orderBy(desc(gameAdmins.uid))
    .limit(page.page_size)
    .offset(page.offset)
}

export async function countInvites(db: Db, userUid: string): Promise<number> {
  return await db.$count(gameAdmins, isPendingOf(userUid))
}

export async function findInvite(db: Db, uid: string): Promise<InviteRow | undefined> {
  const [row] = await db
    .select(INVITE)
    .from(gameAdmins)
    .innerJoin(games, eq(games.uid, gameAdmins.gameUid))
    .innerJoin(users, eq(users.id, games.ownerUid))
    .where(eq(gameAdmins.uid, uid))
  return row
}

/** Accepting again keeps the first time. Returns false when the invite is not this person's. */
export async function acceptInvite(db: Db, userUid: string, uid: string): Promise<boolean> {
  const rows = await db
    .update(gameAdmins)
    .set({ acceptedAt: sql`coalesce(${gameAdmins.acceptedAt}, now())` })
    .where(and(eq(gameAdmins.uid, uid), eq(gameAdmins.userUid, userUid)))
    .returning({ uid: gameAdmins.uid })
  return rows.length > 0
}

export async function deletePendingInvite(db: Db, userUid: string, uid: string): Promise<boolean> {
  const rows = await db
    .delete(gameAdmins)
    .where(and(eq(gameAdmins.uid, uid), isPendingOf(userUid)))
    .returning({ uid: gameAdmins.uid })
  return rows.length > 0
}

/** The encrypted key; null while sign-in with the external store is off. */
export async function findSealedAuthKey(db: Db, gameUid: string): Promise<string | null> {
  const [row] = await db
    .select({ authKey: extstoreLinks.authKey })
    .from(extstoreLinks)
    .where(eq(extstoreLinks.gameUid, gameUid))
  return row?.authKey ?? null
}
