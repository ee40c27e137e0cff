import { asc, eq, isNotNull, sql } from 'drizzle-orm'

import { type Db, one } from '../../../db/client.ts'
import { files, symbols } from '../../../db/schema/builds.ts'
import { images, videos } from '../../../db/schema/games/game-pages.ts'
import { saveContents } from '../../../db/schema/saves.ts'
import { searchChanges, searchDocuments } from '../../../db/schema/search.ts'
import { uploadSessions } from '../../../db/schema/uploads.ts'

type KindSize = { kind: string; objects: number; bytes: number }

/** Sums rows instead of listing objects. Identical images count once, refused files not at all. */
export async function sumStorage(db: Db): Promise<KindSize[]> {
  return await db.execute<KindSize>(sql`
    select 'builds' as kind, count(*)::int as objects, coalesce(sum(size), 0)::float8 as bytes
      from ${files} where scan in ('clean', 'scanning')
    union all select 'symbols', count(*)::int, coalesce(sum(size), 0)::float8 from ${symbols}
    union all select 'images', count(*)::int, coalesce(sum(size), 0)::float8
      from (select distinct object_key, size from ${images}) as stored
    union all select 'videos', count(*)::int, coalesce(sum(size), 0)::float8 from ${videos} where kind = 'file'
    union all select 'saves', count(*)::int, coalesce(sum(size), 0)::float8 from ${saveContents}
    union all select 'open uploads', count(*)::int, coalesce(sum(total_size), 0)::float8
      from ${uploadSessions} where file_uid is null and expires_at > now()`)
}

export async function countScans(db: Db): Promise<number> {
  return await db.$count(files, eq(files.scan, 'scanning'))
}

export async function findOldestScan(db: Db) {
  return await one(
    db
      .select({ uid: files.uid, filename: files.filename, gameUid: files.gameUid, since: files.uploadedAt })
      .from(files)
      .where(eq(files.scan, 'scanning'))
      .orderBy(asc(files.uploadedAt))
      .limit(1),
  )
}

export async function countSearch(db: Db): Promise<{ listings: number; waiting: number }> {
  const [listings, waiting] = await Promise.all([
    db.$count(searchDocuments, isNotNull(searchDocuments.document)),
    db.$count(searchChanges),
  ])
  return { listings, waiting }
}
