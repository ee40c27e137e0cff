import { and, asc, desc, eq, getTableColumns, sql } from 'drizzle-orm'

import { anyOf, type Db, inserted, one, pageOf, type Transaction } from '../../../db/client.ts'
import { apps, builds, files } from '../../../db/schema/builds.ts'
import type { Page, Paged } from '../../../lib/paging.ts'
import { buildColumns, type BuildRow, selectBuilds } from '../shared-queries.ts'

type BuildValues = Omit<typeof builds.$inferInsert, 'uid' | 'createdAt' | 'updatedAt'>
export type FileRow = Awaited<ReturnType<typeof listFiles>>[number]

/** Identifies a build within its app. */
type BuildIdentity = Pick<BuildValues, 'version' | 'buildType' | 'os' | 'arch' | 'channel'>

const FILES_SHOWN = 50

/** Creates the app on first use; a later label replaces the earlier one. */
export async function ensureApp(db: Db, gameUid: string, slug: string, name: string | undefined) {
  // A subquery sees the row as it was before the statement.
  const earlier = db
    .select({ name: apps.name })
    .from(apps)
    .where(and(eq(apps.gameUid, gameUid), eq(apps.slug, slug)))
  return await inserted(
    db
      .insert(apps)
      .values({ gameUid, slug, name: name ?? slug })
      .onConflictDoUpdate({
        target: [apps.gameUid, apps.slug],
        set: { name: name === undefined ? sql`${apps.name}` : name },
      })
      .returning({
        uid: apps.uid,
        name: apps.name,
        isRenamed: sql<boolean>`coalesce((${earlier}) <> ${apps.name}, false)`,
      }),
  )
}

/** Of concurrent calls exactly one inserts the build; the others update it. */
export async function upsertBuild(
  db: Db,
  identity: BuildIdentity & Pick<BuildValues, 'gameUid' | 'appUid'>,
  details: Partial<Omit<BuildValues, keyof BuildIdentity | 'gameUid' | 'appUid'>>,
) {
  const now = new Date()
  return await inserted(
    db
      .insert(builds)
      .values({ ...identity, ...details, createdAt: now, updatedAt: now })
      .onConflictDoUpdate({
        target: [builds.appUid, builds.version, builds.buildType, builds.os, builds.arch, builds.channel],
        set: { ...details, updatedAt: now },
      })
      .returning({ ...getTableColumns(builds), isNew: sql<boolean>`xmax = 0` }),
  )
}

export async function findBuildByIdentity(db: Db, gameUid: string, app: string, identity: BuildIdentity) {
  return await one(
    selectBuilds(db).where(
      and(
        eq(apps.gameUid, gameUid),
        eq(apps.slug, app),
        eq(builds.version, identity.version),
        eq(builds.buildType, identity.buildType),
        eq(builds.os, identity.os),
        eq(builds.arch, identity.arch),
        eq(builds.channel, identity.channel),
      ),
    ),
  )
}

export async function listBuilds(db: Db, gameUid: string, page: Page): Promise<Paged<BuildRow>> {
  const of = eq(builds.gameUid, gameUid)
  return await pageOf(selectBuilds(db).where(of).orderBy(desc(builds.uid)), db.$count(builds, of), page)
}

/** The newest build of each game. */
export async function listNewestBuilds(db: Db, gameUids: readonly string[]) {
  return await db
    .selectDistinctOn([builds.gameUid], buildColumns)
    .from(builds)
    .innerJoin(apps, eq(apps.uid, builds.appUid))
    .where(anyOf(builds.gameUid, gameUids))
    .orderBy(builds.gameUid, desc(builds.uid))
}

/** The newest files of each build. */
export async function listFiles(db: Db, buildUids: readonly string[]) {
  const ranked = db
    .select({
      ...getTableColumns(files),
      place: sql<number>`row_number() over (partition by ${files.buildUid} order by ${files.uid} desc)`.as(
        'place',
      ),
    })
    .from(files)
    .where(anyOf(files.buildUid, buildUids))
    .as('ranked')
  return await db
    .select()
    .from(ranked)
    .where(sql`${ranked.place} <= ${FILES_SHOWN}`)
    .orderBy(asc(ranked.filename), desc(ranked.uid))
}

export async function deleteBuild(tx: Transaction, uid: string): Promise<void> {
  await tx.delete(builds).where(eq(builds.uid, uid))
}
