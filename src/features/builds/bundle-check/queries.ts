import { sql } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { apps, fileEntries, files } from '../../../db/schema/builds.ts'
import { channelPointers } from '../../../db/schema/channels.ts'
import { licenses } from '../../../db/schema/games/game-players.ts'
import { games } from '../../../db/schema/games/games.ts'
import { MAIN_APP, STABLE } from '../../../domain/builds/channels.ts'
import type { LicenseKind } from '../../../domain/listings/licenses.ts'

export interface PackMatch {
  uid: string
  vanityName: string
  name: string
  ownerUid: string
  licenseKind: LicenseKind | null
  /** Whether the owner of the checked game has a licence for the pack. */
  isLicensed: boolean
  count: number
  paths: string[]
}

export interface CheckedBuild {
  uid: string
  gameUid: string
  ownerUid: string
}

/**
 * Asset packs whose stable files share content with the build, the most overlap first. The caller's own packs are
 * included whatever their visibility, those of others only while public.
 */
export async function listPackMatches(
  db: Db,
  build: CheckedBuild,
  callerUid: string,
  pathsShown: number,
  limit: number,
): Promise<PackMatch[]> {
  // Must match the condition of the partial index on the hashes exactly.
  const isLarge = (entry: string) => sql.raw(`${entry}.size >= 1024`)
  return [
    ...(await db.execute<PackMatch & Record<string, unknown>>(sql`
      with own as (
        select entry.path, entry.sha256
        from ${files} as file join ${fileEntries} as entry on entry.file_uid = file.uid
        where file.build_uid = ${build.uid} and file.scan = 'clean' and ${isLarge('entry')}
      ),
      shared as (
        select distinct own.path, pack.uid
        from own
        join ${fileEntries} as entry on entry.sha256 = own.sha256 and ${isLarge('entry')}
        join ${files} as file on file.uid = entry.file_uid and file.scan = 'clean'
        join ${channelPointers} as pointer
          on pointer.build_uid = file.build_uid and pointer.channel = ${STABLE}
        join ${apps} as app on app.uid = pointer.app_uid and app.slug = ${MAIN_APP}
        join ${games} as pack on pack.uid = file.game_uid
        where pack.asset_type in ('game_asset', 'dev_asset') and pack.uid <> ${build.gameUid}
          and (pack.visibility = 'public' or pack.owner_uid = ${callerUid})
      ),
      matches as (
        select uid, count(*)::int as count, (array_agg(path order by path))[1:${sql.raw(String(pathsShown))}] as paths
        from shared group by uid order by 2 desc, uid limit ${limit}
      )
      select pack.uid, pack.vanity_name as "vanityName", pack.name, pack.owner_uid as "ownerUid",
        pack.license_kind as "licenseKind", matches.count, matches.paths,
        exists (
          select 1 from ${licenses} as license
          where license.game_uid = pack.uid and license.user_uid = ${build.ownerUid} and not license.pending
        ) as "isLicensed"
      from matches join ${games} as pack on pack.uid = matches.uid
      order by matches.count desc, pack.uid`)),
  ]
}
