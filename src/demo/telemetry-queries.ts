import { and, eq, inArray, notExists } from 'drizzle-orm'

import type { Db } from '../db/client.ts'
import { users } from '../db/schema/accounts.ts'
import { builds } from '../db/schema/builds.ts'
import { channelPointers } from '../db/schema/channels.ts'
import { games } from '../db/schema/games/games.ts'
import { launchDevices } from '../db/schema/ingest.ts'
import { STABLE } from '../domain/builds/channels.ts'

export type SilentBuild = Awaited<ReturnType<typeof listSilentBuilds>>[number]

/** Lists stable builds of these listings without telemetry, with the e-mail address of their owner. */
export async function listSilentBuilds(db: Db, names: readonly string[]) {
  const heard = db
    .select({ deviceId: launchDevices.deviceId })
    .from(launchDevices)
    .where(eq(launchDevices.buildUid, builds.uid))
  return await db
    .select({
      gameUid: builds.gameUid,
      buildUid: builds.uid,
      version: builds.version,
      os: builds.os,
      vanityName: games.vanityName,
      email: users.email,
    })
    .from(builds)
    .innerJoin(games, eq(games.uid, builds.gameUid))
    .innerJoin(users, eq(users.id, games.ownerUid))
    .innerJoin(
      channelPointers,
      and(eq(channelPointers.buildUid, builds.uid), eq(channelPointers.channel, STABLE)),
    )
    .where(and(inArray(games.vanityName, [...names]), notExists(heard)))
}
