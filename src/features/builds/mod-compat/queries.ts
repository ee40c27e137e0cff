import { and, asc, desc, eq } from 'drizzle-orm'

import { anyOf } from '../../../db/any-of.ts'
import type { Db } from '../../../db/client.ts'
import { apps, builds } from '../../../db/schema/builds.ts'
import { channelPointers } from '../../../db/schema/channels.ts'
import { games } from '../../../db/schema/games/games.ts'
import { MAIN_APP } from '../../../domain/builds/channels.ts'

export type ParentRow = Awaited<ReturnType<typeof listParentBuilds>>[number]

/**
 * One row for each build that the channels point at, or a single row without a build. Only builds of the main app:
 * mods are made for the game itself, not for its server or tools.
 */
export async function listParentBuilds(db: Db, gameUid: string, channels: readonly string[]) {
  return await db
    .select({
      visibility: games.visibility,
      engines: games.engines,
      channel: channelPointers.channel,
      build: {
        uid: builds.uid,
        os: builds.os,
        arch: builds.arch,
        version: builds.version,
        engineVersion: builds.engineVersion,
      },
    })
    .from(games)
    .leftJoin(apps, and(eq(apps.gameUid, games.uid), eq(apps.slug, MAIN_APP)))
    .leftJoin(
      channelPointers,
      and(eq(channelPointers.appUid, apps.uid), anyOf(channelPointers.channel, channels)),
    )
    .leftJoin(builds, eq(builds.uid, channelPointers.buildUid))
    .where(eq(games.uid, gameUid))
    .orderBy(desc(channelPointers.channel), asc(builds.os), asc(builds.arch))
}
