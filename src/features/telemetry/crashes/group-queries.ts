import { and, desc, eq, exists, sql } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { builds } from '../../../db/schema/builds.ts'
import { crashes, crashGroups, crashVersions } from '../../../db/schema/crashes.ts'
import type { Page } from '../../../lib/paging.ts'

export type GroupRow = Awaited<ReturnType<typeof listGroups>>[number]
export type CrashRow = NonNullable<Awaited<ReturnType<typeof findCrash>>>

const VERSIONS_SHOWN = 20

/** Seen in one build, or in any build of the game. */
interface Which {
  gameUid: string
  buildUid: string | undefined
}

/** A report names its build; the counts of a group do not. */
const seenIn = (db: Db, { gameUid, buildUid }: Which) => {
  const reports = (uid: string) =>
    db
      .select({ uid: crashes.uid })
      .from(crashes)
      .where(and(eq(crashes.groupUid, crashGroups.uid), eq(crashes.buildUid, uid)))
  return and(eq(crashGroups.gameUid, gameUid), buildUid === undefined ? undefined : exists(reports(buildUid)))
}

/** Most recently seen first. */
export async function listGroups(db: Db, which: Which, page: Page) {
  return await db
    .select({
      group: crashGroups,
      versions: sql<string[]>`array(
        select version from ${crashVersions} where group_uid = ${crashGroups}.uid order by version desc limit ${VERSIONS_SHOWN})`,
      crashUid: sql<string | null>`(
        select uid from ${crashes} where group_uid = ${crashGroups}.uid order by uid desc limit 1)`,
    })
    .from(crashGroups)
    .where(seenIn(db, which))
    .orderBy(desc(crashGroups.lastAt), desc(crashGroups.uid))
    .limit(page.page_size)
    .offset(page.offset)
}

export async function countGroups(db: Db, which: Which): Promise<number> {
  return await db.$count(crashGroups, seenIn(db, which))
}

/** How many kinds of crash each version had. */
export async function countKinds(db: Db, gameUid: string) {
  return await db
    .select({ version: crashVersions.version, kinds: sql<number>`count(*)::int` })
    .from(crashVersions)
    .innerJoin(crashGroups, eq(crashGroups.uid, crashVersions.groupUid))
    .where(eq(crashGroups.gameUid, gameUid))
    .groupBy(crashVersions.version)
}

export async function findCrash(db: Db, gameUid: string, uid: string) {
  const [row] = await db
    .select({ crash: crashes, signature: crashGroups.signature, version: builds.version })
    .from(crashes)
    .innerJoin(crashGroups, eq(crashGroups.uid, crashes.groupUid))
    .innerJoin(builds, eq(builds.uid, crashes.buildUid))
    .where(and(eq(crashes.uid, uid), eq(crashGroups.gameUid, gameUid)))
  return row
}
