import { and, countDistinct, desc, eq, inArray, or, sql } from 'drizzle-orm'

import { isMainApp } from '../../db/build-conditions.ts'
import { anyOf, type Db } from '../../db/client.ts'
import { users } from '../../db/schema/accounts.ts'
import { apps, builds, channelMoves, channelPointers, files } from '../../db/schema/builds.ts'
import { changelogEntries, releaseNotes } from '../../db/schema/games/game-pages.ts'
import { games } from '../../db/schema/games/games.ts'
import type { ChangelogItem } from '../../domain/builds/build-fields.ts'
import { STABLE } from '../../domain/builds/channels.ts'
import { PACKAGE_TYPES } from '../../domain/listings/editor-packages.ts'

export type PackageRow = Awaited<ReturnType<typeof listPackageRows>>[number]

const isListed = and(
  eq(games.visibility, 'public'),
  eq(games.adult, false),
  inArray(games.assetType, [...PACKAGE_TYPES]),
)

const isNotesOf = and(eq(releaseNotes.gameUid, builds.gameUid), eq(releaseNotes.version, builds.version))

/** Those of the listings that are public, have a type with packages, and a clean stable file of the main app. */
export async function listPackageRows(db: Db, uids: readonly string[]) {
  const newest = newestFile(db)
  return await db
    .select({
      uid: games.uid,
      assetId: games.assetId,
      slug: games.vanityName,
      title: games.name,
      assetType: games.assetType,
      tags: games.tags,
      license: games.licenseKind,
      ranges: games.engineCompat,
      website: games.website,
      isOpen: sql<boolean>`${games.anonymousDownloads} and ${games.priceCents} = 0`,
      updatedAt: games.updatedAt,
      author: users.username,
      authorId: users.authorId,
      checksum: newest.checksum,
      version: newest.version,
      changes: newest.changes,
      releasedAt: newest.uploadedAt,
      releases: countReleases(db),
    })
    .from(games)
    .innerJoin(users, eq(users.id, games.ownerUid))
    .innerJoinLateral(newest, sql`true`)
    .where(and(anyOf(games.uid, uids), isListed))
}

function newestFile(db: Db) {
  return db
    .select({
      checksum: files.checksum,
      uploadedAt: files.uploadedAt,
      version: builds.version,
      // A release that created a changelog entry shows the current items of that entry, none if it was
      // deleted.
      changes: sql<ChangelogItem[]>`case when ${releaseNotes.gameUid} is null then ${builds.changelogItems}
        else coalesce(${changelogEntries.items}, '[]') end`.as('changes'),
    })
    .from(channelPointers)
    .innerJoin(apps, isMainApp(channelPointers.appUid))
    .innerJoin(builds, eq(builds.uid, channelPointers.buildUid))
    .innerJoin(files, eq(files.buildUid, builds.uid))
    .leftJoin(releaseNotes, isNotesOf)
    .leftJoin(changelogEntries, eq(changelogEntries.uid, releaseNotes.entryUid))
    .where(
      and(
        eq(channelPointers.gameUid, games.uid),
        eq(channelPointers.channel, STABLE),
        eq(files.scan, 'clean'),
      ),
    )
    .orderBy(desc(files.uploadedAt), desc(files.uid))
    .limit(1)
    .as('newest')
}

/** How many builds stable has pointed at. */
function countReleases(db: Db) {
  const moves = db
    .select({ count: countDistinct(channelMoves.toBuildUid) })
    .from(channelMoves)
    .innerJoin(apps, isMainApp(channelMoves.appUid))
    .where(and(eq(channelMoves.gameUid, games.uid), eq(channelMoves.channel, STABLE)))
  return sql<number>`(${moves})::int`
}

/** A package is named by its number, or by its vanity name. */
export async function findPackageUid(db: Db, key: number | string): Promise<string | undefined> {
  const isNamed = typeof key === 'number' ? eq(games.assetId, key) : eq(games.vanityName, key)
  const [row] = await db.select({ uid: games.uid }).from(games).where(and(isNamed, isListed))
  return row?.uid
}

export async function findDescription(db: Db, uid: string): Promise<string> {
  const [row] = await db.select({ text: games.description }).from(games).where(eq(games.uid, uid))
  return row?.text ?? ''
}

/** The newest clean file on stable, or else the newest one that will be there once it is scanned. */
export async function findPackageFile(db: Db, uid: string): Promise<string | undefined> {
  const isPointedAt = and(eq(channelPointers.buildUid, files.buildUid), eq(channelPointers.channel, STABLE))
  const isClean = and(eq(files.scan, 'clean'), eq(channelPointers.gameUid, uid))
  const isScanned = and(eq(files.scan, 'scanning'), eq(builds.channel, STABLE))
  const [row] = await db
    .select({ uid: files.uid })
    .from(files)
    .innerJoin(builds, eq(builds.uid, files.buildUid))
    .innerJoin(apps, isMainApp(builds.appUid))
    .leftJoin(channelPointers, isPointedAt)
    .where(and(eq(files.gameUid, uid), or(isClean, isScanned)))
    .orderBy(sql`${files.scan} = 'clean' desc`, desc(files.uploadedAt), desc(files.uid))
    .limit(1)
  return row?.uid
}
