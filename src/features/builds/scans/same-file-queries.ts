import { and, desc, eq, exists, isNull, or } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { builds, files } from '../../../db/schema/builds.ts'
import { channelPointers } from '../../../db/schema/channels.ts'
import { games } from '../../../db/schema/games/games.ts'
import { STABLE } from '../../../domain/builds/channels.ts'

const SAME_FILES_SHOWN = 20

/** Clean files on stable, or registered for it, of pages that everybody can find. */
export async function listPublicFiles(db: Db, checksum: string) {
  const isStable = exists(
    db
      .select({ uid: channelPointers.buildUid })
      .from(channelPointers)
      .where(and(eq(channelPointers.buildUid, files.buildUid), eq(channelPointers.channel, STABLE))),
  )
  return await db
    .select({
      file: files,
      build: builds,
      game: { uid: games.uid, vanityName: games.vanityName, name: games.name },
    })
    .from(files)
    .innerJoin(builds, eq(builds.uid, files.buildUid))
    .innerJoin(games, eq(games.uid, files.gameUid))
    .where(
      and(
        eq(files.checksum, checksum),
        eq(files.scan, 'clean'),
        eq(games.visibility, 'public'),
        isNull(games.takenDown),
        or(eq(builds.channel, STABLE), isStable),
      ),
    )
    .orderBy(desc(files.uid))
    .limit(SAME_FILES_SHOWN)
}
