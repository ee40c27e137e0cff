import { type SQL, sql } from 'drizzle-orm'

import { buildOnce, type Db } from '../../../db/client.ts'
import { byNetwork, weighNetworks } from '../../../db/network-share.ts'
import { users } from '../../../db/schema/accounts.ts'
import { apps, builds, channelPointers, files } from '../../../db/schema/builds.ts'
import { shelves } from '../../../db/schema/catalog.ts'
import { games } from '../../../db/schema/games/games.ts'
import { buildHealth, gameBoots, launchDevices } from '../../../db/schema/telemetry.ts'
import { MAIN_APP, STABLE } from '../../../domain/builds/channels.ts'
import type { OperatingSystem } from '../../../domain/builds/platforms.ts'
import type { ShelfKind } from '../../../domain/listings/shelves.ts'

/** The operating system a shelf is for. */
export type ShelfSystem = OperatingSystem | 'any'

export interface Candidate {
  os: ShelfSystem
  gameUid: string
}

const hasCleanFile = sql`bool_or(exists (
  select 1 from ${files} where build_uid = pointer.build_uid and scan = 'clean'))`

/** At least one build of the system is rated, and none is rated worse. */
const startsWell = sql`bool_or(health.band in ('excellent', 'healthy'))
  and not coalesce(bool_or(health.band in ('mixed', 'problematic')), false)`

/** Free games that run in the browser. */
export async function listForPlayNow(db: Db, date: string, limit: number): Promise<Candidate[]> {
  const isPlayable = sql`bool_or(pointer.os = 'web' and exists (
    select 1 from ${files} where build_uid = pointer.build_uid and scan = 'clean' and entry_page is not null))`
  return await listCandidates(db, date, limit, sql`game.price_cents = 0`, isPlayable)
}

/** Games with short sessions that start reliably. */
export async function listForTonight(db: Db, date: string, limit: number): Promise<Candidate[]> {
  const isShortGame = sql`game.asset_type = 'game' and game.session_bucket = '15m'`
  return await listCandidates(db, date, limit, isShortGame, sql`${hasCleanFile} and ${startsWell}`)
}

interface Novelty {
  publishedSince: Date
  /** The listing's first boot_ok must not be older. */
  bootedSince: Date
  fewerDevicesThan: number
}

/** New games and applications that few devices have started; devices of one network count up to a limit. */
export async function listUnheardOf(
  db: Db,
  date: string,
  limit: number,
  { publishedSince, bootedSince, fewerDevicesThan }: Novelty,
): Promise<Candidate[]> {
  const ofGame = sql`build_uid in (
    select build.uid from ${builds} as build
    join ${apps} as app on app.uid = build.app_uid and app.slug = ${MAIN_APP}
    where build.game_uid = game.uid)`
  const booted = sql`
    select network, count(distinct device_id) as devices from ${launchDevices}
    where ${ofGame} and boot_at is not null group by ${byNetwork}`
  const isNew = sql`game.asset_type in ('game', 'application')
    and game.published_at >= ${publishedSince.toISOString()}
    and not exists (
      select 1 from ${gameBoots} where game_uid = game.uid and first_at < ${bootedSince.toISOString()})
    and case
      when exists (select 1 from ${buildHealth} where ${ofGame} and shared_boot_ok >= ${fewerDevicesThan}) then false
      else (
        select coalesce(sum(weight), 0) from (${weighNetworks(booted)}) as weighed
      ) < ${fewerDevicesThan}
    end`
  return await listCandidates(db, date, limit, isNew, hasCleanFile)
}

/** The first ones per system and overall, in the order of the day: a hash of date and uid. */
async function listCandidates(
  db: Db,
  date: string,
  limit: number,
  isMeant: SQL,
  runsThere: SQL,
): Promise<Candidate[]> {
  const rows = await db.execute<{ os: ShelfSystem; game_uid: string }>(sql`
    with meant as materialized (
      select game.uid from ${games} as game
      join ${users} as owner on owner.id = game.owner_uid and owner.email_verified
      where game.visibility = 'public' and not game.adult and ${isMeant}
    ),
    places as (
      select pointer.game_uid, pointer.os from ${channelPointers} as pointer
      join meant on meant.uid = pointer.game_uid
      join ${apps} as app on app.uid = pointer.app_uid and app.slug = ${MAIN_APP}
      left join ${buildHealth} as health on health.build_uid = pointer.build_uid
      where pointer.channel = ${STABLE}
      group by 1, 2 having ${runsThere}
    ),
    ranked as (
      select os, game_uid,
        row_number() over (partition by os order by md5(${date}::text || game_uid::text), game_uid) as place
      from (select os, game_uid from places union select 'any', game_uid from places) as offered
    )
    select os, game_uid from ranked where place <= ${limit} order by os, place`)
  return rows.map((row) => ({ os: row.os, gameUid: row.game_uid }))
}

export async function storeShelf(
  db: Db,
  values: { kind: ShelfKind; os: ShelfSystem; date: string; gameUids: string[] },
): Promise<void> {
  const { date, gameUids } = values
  await db
    .insert(shelves)
    .values(values)
    .onConflictDoUpdate({ target: [shelves.kind, shelves.os], set: { date, gameUids } })
}

/** Lists shelves; `kinds` and `systems` are pairs by index. */
export async function listShelves(db: Db, kinds: readonly ShelfKind[], systems: readonly ShelfSystem[]) {
  return await chosenShelves(db).execute({ kinds, systems })
}

const chosenShelves = buildOnce((db) =>
  db
    .select()
    .from(shelves)
    .where(
      sql`(${shelves.kind}, ${shelves.os}) in (select * from unnest(
        ${sql.placeholder('kinds')}::text[], ${sql.placeholder('systems')}::text[]))`,
    )
    .prepare('shelves'),
)
