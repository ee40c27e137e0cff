import { and, asc, desc, eq, isNull, sql } from 'drizzle-orm'

import { changed, type Db, one, pageOf } from '../../../db/client.ts'
import { personColumns } from '../../../db/person-columns.ts'
import { users } from '../../../db/schema/accounts.ts'
import { extstoreLinks } from '../../../db/schema/extstore.ts'
import { gameAdmins } from '../../../db/schema/games/game-pages.ts'
import { games } from '../../../db/schema/games/games.ts'
import type { Page } from '../../../lib/paging.ts'

const ADMIN = {
  userUid: gameAdmins.userUid,
  person: personColumns,
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

export type AdminRow = Awaited<ReturnType<typeof listAdmins>>['items'][number]
export type InviteRow = Awaited<ReturnType<typeof listInvites>>['items'][number]

const isPendingOf = (userUid: string) => and(eq(gameAdmins.userUid, userUid), isNull(gameAdmins.acceptedAt))

const selectAdmins = (db: Db) =>
  db.select(ADMIN).from(gameAdmins).innerJoin(users, eq(users.id, gameAdmins.userUid))

const selectInvites = (db: Db) =>
  db
    .select(INVITE)
    .from(gameAdmins)
    .innerJoin(games, eq(games.uid, gameAdmins.gameUid))
    .innerJoin(users, eq(users.id, games.ownerUid))

export async function listAdmins(db: Db, gameUid: string, page: Page) {
  const admins = selectAdmins(db).where(eq(gameAdmins.gameUid, gameUid)).orderBy(asc(gameAdmins.uid))
  return await pageOf(admins, countAdmins(db, gameUid), page)
}

export async function countAdmins(db: Db, gameUid: string): Promise<number> {
  return await db.$count(gameAdmins, eq(gameAdmins.gameUid, gameUid))
}

export async function findAdmin(db: Db, gameUid: string, userUid: string): Promise<AdminRow | undefined> {
  return await one(
    selectAdmins(db).where(and(eq(gameAdmins.gameUid, gameUid), eq(gameAdmins.userUid, userUid))),
  )
}

export async function insertInvite(db: Db, gameUid: string, userUid: string): Promise<void> {
  await db.insert(gameAdmins).values({ gameUid, userUid })
}

export async function deleteAdmin(db: Db, gameUid: string, userUid: string): Promise<void> {
  await db.delete(gameAdmins).where(and(eq(gameAdmins.gameUid, gameUid), eq(gameAdmins.userUid, userUid)))
}

export async function findUserAddress(db: Db, uid: string) {
  return await one(db.select({ email: users.email, name: users.name }).from(users).where(eq(users.id, uid)))
}

export async function listInvites(db: Db, userUid: string, page: Page) {
  const isPending = isPendingOf(userUid)
  const invites = selectInvites(db).where(isPending).orderBy(desc(gameAdmins.uid))
  return await pageOf(invites, db.$count(gameAdmins, isPending), page)
}

export async function findInvite(db: Db, uid: string): Promise<InviteRow | undefined> {
  return await one(selectInvites(db).where(eq(gameAdmins.uid, uid)))
}

/** Accepting again keeps the first time. Returns false when the invite is not this person's. */
export async function acceptInvite(db: Db, userUid: string, uid: string): Promise<boolean> {
  return await changed(
    db
      .update(gameAdmins)
      .set({ acceptedAt: sql`coalesce(${gameAdmins.acceptedAt}, now())` })
      .where(and(eq(gameAdmins.uid, uid), eq(gameAdmins.userUid, userUid))),
  )
}

export async function deletePendingInvite(db: Db, userUid: string, uid: string): Promise<boolean> {
  return await changed(db.delete(gameAdmins).where(and(eq(gameAdmins.uid, uid), isPendingOf(userUid))))
}

/** The encrypted key; null while sign-in with the external store is off. */
export async function findSealedAuthKey(db: Db, gameUid: string): Promise<string | null> {
  const [row] = await db
    .select({ authKey: extstoreLinks.authKey })
    .from(extstoreLinks)
    .where(eq(extstoreLinks.gameUid, gameUid))
  return row?.authKey ?? null
}
