import { and, asc, desc, eq, gt, isNotNull, isNull, or, sql } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { symbols } from '../../../db/schema/builds.ts'
import { crashGroups } from '../../../db/schema/crashes.ts'
import { games } from '../../../db/schema/games/games.ts'
import type { StackFrame } from '../../../domain/builds/crash-frames.ts'

export type UnreadGroup = Awaited<ReturnType<typeof listUnreadGroups>>[number]
export type SymbolFile = Awaited<ReturnType<typeof listSymbolFiles>>[number]

/** Groups whose build got symbols after their stack was last symbolicated. */
function isUnread(db: Db) {
  const newer = db
    .select({ one: sql`1` })
    .from(symbols)
    .where(
      and(
        eq(symbols.buildUid, crashGroups.buildUid),
        or(isNull(crashGroups.symbolicatedAt), gt(symbols.createdAt, crashGroups.symbolicatedAt)),
      ),
    )
  return and(isNotNull(crashGroups.buildUid), sql`exists ${newer}`)
}

/** Listings with such groups; those that wait longest come first. */
export async function listUnreadGames(db: Db, limit: number) {
  return await db
    .select({ gameUid: crashGroups.gameUid, ownerUid: games.ownerUid })
    .from(crashGroups)
    .innerJoin(games, eq(games.uid, crashGroups.gameUid))
    .where(isUnread(db))
    .groupBy(crashGroups.gameUid, games.ownerUid)
    .orderBy(sql`min(coalesce(${crashGroups.symbolicatedAt}, ${crashGroups.firstAt}))`)
    .limit(limit)
}

export async function listUnreadGroups(db: Db, gameUid: string, limit: number) {
  return await db
    .select({
      uid: crashGroups.uid,
      buildUid: sql<string>`${crashGroups.buildUid}`,
      frames: crashGroups.frames,
    })
    .from(crashGroups)
    .where(and(eq(crashGroups.gameUid, gameUid), isUnread(db)))
    .orderBy(asc(crashGroups.buildUid), asc(crashGroups.uid))
    .limit(limit)
}

export async function listSymbolFiles(db: Db, buildUid: string, limit: number) {
  return await db
    .select({ module: symbols.module, objectKey: symbols.objectKey, size: symbols.size })
    .from(symbols)
    .where(eq(symbols.buildUid, buildUid))
    .orderBy(desc(symbols.uid))
    .limit(limit)
}

/** Unless the group shows the stack of another build by now. */
export async function storeStack(
  db: Db,
  { uid, buildUid }: UnreadGroup,
  stack: StackFrame[],
  symbolicatedAt: Date,
): Promise<void> {
  await db
    .update(crashGroups)
    .set({ stack, symbolicatedAt })
    .where(and(eq(crashGroups.uid, uid), eq(crashGroups.buildUid, buildUid)))
}
