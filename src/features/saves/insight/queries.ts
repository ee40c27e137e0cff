import { asc, desc, eq, sql } from 'drizzle-orm'

import { type Db, one } from '../../../db/client.ts'
import { builds } from '../../../db/schema/builds.ts'
import { saveContents, saveFaults, saveSets, saveSlots } from '../../../db/schema/saves.ts'

/** How many players keep saves of the game, and their bytes together. */
export async function countPlayers(db: Db, gameUid: string): Promise<{ players: number; bytes: number }> {
  const row = await one(
    db.execute<{ players: number; bytes: string }>(sql`
      select count(*)::int as players, coalesce(sum(bytes), 0)::text as bytes from (
        select (select coalesce(sum(size), 0) from ${saveContents} where set_uid = kept.uid) as bytes
        from ${saveSets} as kept where game_uid = ${gameUid}
          and exists (select 1 from ${saveSlots} where set_uid = kept.uid)) as counted`),
  )
  return { players: row?.players ?? 0, bytes: Number(row?.bytes ?? 0) }
}

export type FaultRow = Awaited<ReturnType<typeof listFaults>>[number]

/** Of the newest builds first; what named no build comes last. */
export async function listFaults(db: Db, gameUid: string, limit: number) {
  return await db
    .select({
      buildUid: saveFaults.buildUid,
      version: builds.version,
      os: builds.os,
      conflicts: saveFaults.conflicts,
      failures: saveFaults.failures,
    })
    .from(saveFaults)
    .leftJoin(builds, eq(builds.uid, saveFaults.buildUid))
    .where(eq(saveFaults.gameUid, gameUid))
    .orderBy(sql`${builds.createdAt} desc nulls last`, desc(saveFaults.conflicts), asc(saveFaults.uid))
    .limit(limit)
}
