import { lt, sql } from 'drizzle-orm'

import { changed, type Db, unnest } from '../../../db/client.ts'
import { personFacts } from '../../../db/entitlement-facts.ts'
import { isJamPinned, isJamVoter } from '../../../db/jam-conditions.ts'
import { usedPlayTickets } from '../../../db/schema/play.ts'
import { MAIN_APP } from '../../../domain/builds/channels.ts'
import type { EntitlementFacts } from '../../../domain/listings/entitlement.ts'
import type { Visibility } from '../../../domain/listings/visibility.ts'
import { WEB_PLAYER_DEFAULTS, type WebPlayer } from '../../../domain/listings/web-player.ts'
import type { Choice } from './model.ts'

/** Everything that decides whether a visitor may play, and which build. */
export type PlayFacts = {
  gameUid: string
  name: string
  vanityName: string
  visibility: Visibility
  adult: boolean
  priceCents: number
  webPlayer: WebPlayer | null
  /** Taken down, or the owner's account is suspended. */
  isBlocked: boolean
  /** Null for a visitor without an account, and for one whose account is suspended or gone. */
  person: EntitlementFacts['person']
  /** Of the version of a jam; null where none was asked for, or the listing is not in it. */
  jam: { isOpen: boolean } | null
  /** Whether a jam has a version of its own, to which a visit may be pinned. */
  isInJam: boolean
  /** The build of the choice; null if there is no web build that a browser can open. */
  build: {
    uid: string
    version: string
    fileUid: string
    objectKey: string
    size: number
    entryPage: string
    isScanning: boolean
  } | null
}

/** The facts of each choice whose game exists, as `[index, facts]`. */
export async function listFacts(db: Db, choices: readonly Choice[]): Promise<[number, PlayFacts][]> {
  const rows = await db.execute<PlayFacts & { index: number }>(sql`
    select wanted.index::int as index, game.uid as "gameUid", game.name, game.vanity_name as "vanityName", game.visibility,
      game.adult, game.price_cents as "priceCents", game.web_player as "webPlayer",
      game.taken_down is not null or owner.suspended_at is not null as "isBlocked",
      ${personFacts} as person,
      (select json_build_object('uid', build.uid, 'version', build.version, 'fileUid', file.uid,
          'objectKey', file.object_key, 'size', file.size, 'entryPage', file.entry_page,
          'isScanning', file.scan = 'scanning')
        from builds as build
        join files as file on file.build_uid = build.uid
        left join apps as app on app.uid = build.app_uid and app.slug = ${MAIN_APP}
        left join channel_pointers as pointer on pointer.build_uid = build.uid and pointer.channel = wanted.channel
        where build.game_uid = game.uid and build.os = 'web'
          and file.scan in ('clean', 'scanning') and file.entry_page is not null
          and case when wanted.jam is not null then (wanted.build is null or build.uid = wanted.build)
              and exists (select 1 from jam_pins as pin where pin.file_uid = file.uid and pin.jam_uid = wanted.jam)
            when wanted.build is null then pointer.build_uid is not null and app.uid is not null
            else build.uid = wanted.build end
        order by file.scan, pointer.moved_at desc nulls last, file.uid desc limit 1) as build,
      (select json_build_object('isOpen', ${isJamVoter(sql`person.id`)} or (game.price_cents = 0
          and (person.id is not null or coalesce((game.web_player ->> 'signed_out')::boolean, ${WEB_PLAYER_DEFAULTS.signed_out}))))
        from jams as jam join jam_entries as entry on entry.jam_uid = jam.uid and entry.game_uid = game.uid
        where jam.uid = wanted.jam and entry.withdrawn_at is null and ${isJamPinned}) as jam,
      exists (select 1 from jam_entries as entry join jam_pins as pin on pin.entry_uid = entry.uid
        where entry.game_uid = game.uid) as "isInJam"
    from ${unnest(choices, { gameUid: 'uuid', channel: 'text', buildUid: 'uuid', userUid: 'uuid', jam: 'uuid' })}
      with ordinality as wanted (game, channel, build, person, jam, index)
    join games as game on game.uid = wanted.game
    join users as owner on owner.id = game.owner_uid
    left join users as person on person.id = wanted.person and person.suspended_at is null
    left join licenses as license on license.game_uid = game.uid and license.user_uid = person.id`)
  return rows.map(({ index, ...facts }) => [index - 1, facts])
}

/** Returns whether the ticket is used for the first time; true for only one of several concurrent calls. */
export async function consumeTicket(db: Db, uid: string): Promise<boolean> {
  return await changed(db.insert(usedPlayTickets).values({ uid }).onConflictDoNothing())
}

export async function deleteTickets(db: Db, usedBefore: Date): Promise<void> {
  await db.delete(usedPlayTickets).where(lt(usedPlayTickets.usedAt, usedBefore))
}
