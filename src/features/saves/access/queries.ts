import { eq, type SQL, sql } from 'drizzle-orm'

import { buildOnce, type Db, one } from '../../../db/client.ts'
import { personFacts } from '../../../db/entitlement-facts.ts'
import { games } from '../../../db/schema/games/games.ts'
import { saveContents, saveRevisions, saveSets, saveSlots } from '../../../db/schema/saves.ts'
import { STABLE } from '../../../domain/builds/channels.ts'
import type { EntitlementFacts } from '../../../domain/listings/entitlement.ts'
import type { Visibility } from '../../../domain/listings/visibility.ts'
import { isUid } from '../../../lib/ids.ts'
import type { Owned, ReadableRevision, WantedRevision } from '../shared-queries.ts'
import type { WebUse } from './model.ts'

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

const facts = {
  gameUid: sql<string>`game.uid`,
  name: sql<string>`game.name`,
  vanityName: sql<string>`game.vanity_name`,
  visibility: sql<Visibility>`game.visibility`,
  adult: sql<boolean>`game.adult`,
  priceCents: sql<number>`game.price_cents`,
  isEnabled: sql<boolean>`game.saves_enabled`,
  isBlocked: sql<boolean>`game.taken_down is not null or owner.suspended_at is not null`,
  isOpen: sql<boolean>`game.anonymous_downloads or exists (
    select 1 from channel_pointers as pointer
    join builds as build on build.uid = pointer.build_uid and build.os = 'web'
    join files as file on file.build_uid = build.uid and file.scan = 'clean' and file.entry_page is not null
    where pointer.game_uid = game.uid and pointer.channel = ${STABLE})`,
  person: sql<EntitlementFacts['person']>`${personFacts}`,
  webAllowed: sql<boolean | null>`kept.web_allowed`,
}

const factsFrom = sql`${games} as game
  join users as owner on owner.id = game.owner_uid
  left join users as person on person.id = ${sql.placeholder('userUid')} and person.suspended_at is null
  left join licenses as license on license.game_uid = game.uid and license.user_uid = person.id
  left join ${saveSets} as kept on kept.game_uid = game.uid and kept.user_uid = person.id`

const byUid = sql`game.uid = ${sql.placeholder('ref')}`
const byName = sql`game.vanity_name = ${sql.placeholder('ref')}`

const factsWhere = (named: SQL, name: string) =>
  buildOnce((db) => db.select(facts).from(factsFrom).where(named).prepare(name))
const factsByUid = factsWhere(byUid, 'save_facts_by_uid')
const factsByName = factsWhere(byName, 'save_facts_by_name')

export async function findSaveFacts(db: Db, ref: string, userUid: string): Promise<SaveFacts | undefined> {
  const query = isUid(ref) ? factsByUid(db) : factsByName(db)
  return await one(query.execute({ ref, userUid }))
}

const readableWhere = (named: SQL, name: string) =>
  buildOnce((db) =>
    db
      .select({
        facts,
        found: sql<ReadableRevision | null>`case when content.uid is not null then json_build_object(
          'revision', revision.uid, 'sha256', content.sha256, 'size', content.size,
          'objectKey', content.object_key) end`,
      })
      .from(
        sql`${factsFrom}
        left join ${saveSlots} as slot on slot.set_uid = kept.uid and slot.name = ${sql.placeholder('slot')}
        left join ${saveRevisions} as revision on revision.slot_uid = slot.uid and revision.uid =
          coalesce(${sql.placeholder('revision')}::uuid, case when slot.deleted_at is null then slot.head_uid end)
        left join ${saveContents} as content on content.uid = revision.content_uid`,
      )
      .where(named)
      .prepare(name),
  )
const readableByUid = readableWhere(byUid, 'readable_save_by_uid')
const readableByName = readableWhere(byName, 'readable_save_by_name')

/** The facts and the revision, which is null if there is none. */
export async function findReadable(
  db: Db,
  ref: string,
  userUid: string,
  wanted: WantedRevision,
): Promise<{ facts: SaveFacts; found: ReadableRevision | null } | undefined> {
  const query = isUid(ref) ? readableByUid(db) : readableByName(db)
  return await one(query.execute({ ref, userUid, ...wanted }))
}

export async function findWebUse(db: Db, { userUid, gameUid }: Owned): Promise<WebUse> {
  const row = await one(
    db.execute<WebUse>(sql`
      select exists (
          select 1 from channel_pointers as pointer
          join builds as build on build.uid = pointer.build_uid and build.os = 'web'
          where pointer.game_uid = ${gameUid}) as "isPlayed",
        (select web_allowed from ${saveSets} where game_uid = ${gameUid} and user_uid = ${userUid}) as allowed`),
  )
  if (!row) throw new Error('The database did not return the use of saves in the browser')
  return row
}

export async function saveWebAllowed(db: Db, setUid: string, webAllowed: boolean | null): Promise<void> {
  await db.update(saveSets).set({ webAllowed }).where(eq(saveSets.uid, setUid))
}
