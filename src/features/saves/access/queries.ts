import { eq, sql } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { personFacts } from '../../../db/entitlement-facts.ts'
import { one } from '../../../db/rows.ts'
import { games } from '../../../db/schema/games/games.ts'
import { saveSets } from '../../../db/schema/saves.ts'
import { STABLE } from '../../../domain/builds/channels.ts'
import type { EntitlementFacts } from '../../../domain/listings/entitlement.ts'
import type { Visibility } from '../../../domain/listings/visibility.ts'
import { isUid } from '../../../lib/ids.ts'

/** Everything that decides whether a player may keep saves of a game. */
export type SaveFacts = {
  gameUid: string
  name: string
  vanityName: string
  visibility: Visibility
  adult: boolean
  priceCents: number
  isEnabled: boolean
  /** Taken down, or the owner's account is suspended. */
  isBlocked: boolean
  /** Whether people without a licence get the files: it is played in the browser, or downloads are open. */
  isOpen: boolean
  /** Null for an account that is suspended or gone. */
  person: EntitlementFacts['person']
  /** Whether the game may use the saves in the browser; null: the player was not asked. */
  webAllowed: boolean | null
}

export async function findSaveFacts(db: Db, ref: string, userUid: string): Promise<SaveFacts | undefined> {
  const named = isUid(ref) ? sql`game.uid = ${ref}` : sql`game.vanity_name = ${ref}`
  return await one(
    db.execute<SaveFacts>(sql`
      select game.uid as "gameUid", game.name, game.vanity_name as "vanityName", game.visibility, game.adult,
        game.price_cents as "priceCents", game.saves_enabled as "isEnabled",
        game.taken_down is not null or owner.suspended_at is not null as "isBlocked",
        game.anonymous_downloads or exists (
          select 1 from channel_pointers as pointer
          join builds as build on build.uid = pointer.build_uid and build.os = 'web'
          join files as file on file.build_uid = build.uid and file.scan = 'clean' and file.entry_page is not null
          where pointer.game_uid = game.uid and pointer.channel = ${STABLE}) as "isOpen",
        ${personFacts} as person,
        kept.web_allowed as "webAllowed"
      from ${games} as game
      join users as owner on owner.id = game.owner_uid
      left join users as person on person.id = ${userUid} and person.suspended_at is null
      left join licenses as license on license.game_uid = game.uid and license.user_uid = person.id
      left join ${saveSets} as kept on kept.game_uid = game.uid and kept.user_uid = person.id
      where ${named}`),
  )
}

export async function saveWebAllowed(db: Db, setUid: string, webAllowed: boolean | null): Promise<void> {
  await db.update(saveSets).set({ webAllowed }).where(eq(saveSets.uid, setUid))
}
