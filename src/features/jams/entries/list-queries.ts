import { type SQL, sql } from 'drizzle-orm'

import { type Db, one, textList } from '../../../db/client.ts'
import type { OperatingSystem } from '../../../domain/builds/platforms.ts'
import type { EntrySort, PlayedFilter } from '../../../domain/jams/entries.ts'

export interface EntriesFilter {
  jamUid: string
  isPinned: boolean
  /** From the end of the jam on, entries are shown that are not public, such as drafts. */
  hasEnded: boolean
  withAdult: boolean
  sort: EntrySort
  /** Orders what is random: the same text, the same order. */
  seed: string
  /** Each must be in the name, the tagline or the note. */
  words: readonly string[]
  os: OperatingSystem | null
  /** Null: a visitor without an account. */
  userUid: string | null
  played: PlayedFilter | null
}

export interface ListedEntry {
  uid: string
  gameUid: string
  note: string
  late: boolean
  disqualified: string | null
  isPlayed: boolean
  /** Whether the listing is shown to everyone. */
  isPublic: boolean
}

/** `entry` and `game` are rows. */
const listedColumns = sql`entry.uid, entry.game_uid as "gameUid", entry.note, entry.late,
  entry.disqualified_for as disqualified, game.visibility = 'public' as "isPublic"`

/** Whether a visit is one of somebody who tried the entry. */
const hasPlayed = sql`(played_seconds > 0 or downloaded_at is not null)`

const ORDERS: Readonly<Record<EntrySort, (seed: string) => SQL>> = {
  newest: () => sql`entry.submitted_at desc, entry.uid desc`,
  random: (seed) => sql`md5(entry.uid::text || ${seed}), entry.uid`,
  most_rated: () => sql`entry.received desc, entry.uid`,
  least_rated: () => sql`entry.received, entry.uid`,
}

/** What is shown of a jam to this visitor; `entry` and `game` are rows. Suspended accounts are few, and have an index. */
const isShown = ({ hasEnded, withAdult }: Pick<EntriesFilter, 'hasEnded' | 'withAdult'>) =>
  sql`(entry.withdrawn_at is null and game.taken_down is null
    and not exists (select 1 from users as owner where owner.id = game.owner_uid and owner.suspended_at is not null)
    and (${hasEnded}::boolean or game.visibility = 'public') and (${withAdult}::boolean or not game.adult))`

/** Before versions are fixed, what is stable counts. */
function runsOn({ jamUid, isPinned }: EntriesFilter, os: OperatingSystem): SQL {
  if (isPinned) {
    return sql`entry.uid in (select pin.entry_uid from jam_pins as pin
      join files as file on file.uid = pin.file_uid and file.scan = 'clean'
      join builds as build on build.uid = file.build_uid and build.os = ${os} where pin.jam_uid = ${jamUid})`
  }
  return sql`exists (select 1 from channel_pointers as pointer
    join apps as app on app.uid = pointer.app_uid and app.slug = 'main'
    join files as file on file.build_uid = pointer.build_uid and file.scan = 'clean'
    where pointer.game_uid = entry.game_uid and pointer.channel = 'stable' and pointer.os = ${os})`
}

/** One page of the entries and how many there are, in one statement; a page behind the last takes another one. */
export async function listEntries(
  db: Db,
  filter: EntriesFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ items: ListedEntry[]; total: number }> {
  const rows = await findPage(db, filter, limit, offset)
  const [first] = rows.length > 0 || offset === 0 ? rows : await findPage(db, filter, 1, 0)
  return { items: rows, total: first?.total ?? 0 }
}

async function findPage(db: Db, filter: EntriesFilter, limit: number, offset: number) {
  const { jamUid, words, os, userUid, played, sort, seed } = filter
  const conditions = [
    sql`entry.jam_uid = ${jamUid}`,
    isShown(filter),
    ...words.map(
      (word) => sql`position(${word} in lower(game.name || ' ' || game.tagline || ' ' || entry.note)) > 0`,
    ),
    ...(os === null ? [] : [runsOn(filter, os)]),
    ...(played === null ? [] : [played === 'played' ? sql`visit.is_played` : sql`visit.is_played is null`]),
  ]
  return await db.execute<ListedEntry & { total: number } & Record<string, unknown>>(sql`
    select ${listedColumns}, visit.is_played is not null as "isPlayed", count(*) over ()::int as total
    from jam_entries as entry
    join games as game on game.uid = entry.game_uid
    left join (
      select entry_uid, true as is_played from jam_visits
      where user_uid = ${userUid}::uuid and ${hasPlayed}) as visit
      on visit.entry_uid = entry.uid
    where ${sql.join(conditions, sql` and `)}
    order by ${ORDERS[sort](seed)} offset ${offset} limit ${limit}`)
}

export interface ShownEntry extends ListedEntry {
  adult: boolean
  description: string
  /** Whether everyone can open the page of the listing. */
  isOpen: boolean
}

/** One entry as this visitor sees it. */
export async function findShownEntry(
  db: Db,
  {
    jamUid,
    gameRef,
    userUid,
    ...shown
  }: Pick<EntriesFilter, 'jamUid' | 'hasEnded' | 'withAdult' | 'userUid'> & {
    gameRef: string
  },
): Promise<ShownEntry | undefined> {
  return await one(
    db.execute<ShownEntry & Record<string, unknown>>(sql`
    select ${listedColumns}, game.adult, game.description, game.visibility in ('public', 'invisible') as "isOpen", exists (select 1 from jam_visits as visit
        where visit.entry_uid = entry.uid and visit.user_uid = ${userUid}::uuid and ${hasPlayed}) as "isPlayed"
    from jam_entries as entry
    join games as game on game.uid = entry.game_uid
    where entry.jam_uid = ${jamUid} and (game.uid::text = ${gameRef} or game.vanity_name = ${gameRef})
      and ${isShown({ ...shown, withAdult: true })}`),
  )
}

/** The jams that each listing is in, for its store page, newest first. Unlisted jams are known to who has their link. */
export async function listJamsOfGame(db: Db, gameUid: string, limit: number) {
  return await db.execute<{
    slug: string
    title: string
    endsAt: string
    votingEndsAt: string | null
    versions: string[]
  }>(sql`
    select jam.slug, jam.title, jam.ends_at::text as "endsAt", jam.voting_ends_at::text as "votingEndsAt",
      array(select distinct build.version from jam_pins as pin
        join files as file on file.uid = pin.file_uid and file.scan = 'clean'
        join builds as build on build.uid = file.build_uid
        where pin.entry_uid = entry.uid and jam.pinned_at is not null order by 1) as versions
    from jam_entries as entry join jams as jam on jam.uid = entry.jam_uid
    where entry.game_uid = ${gameUid} and entry.withdrawn_at is null and jam.visibility = 'public'
    order by jam.ends_at desc, jam.uid limit ${limit}`)
}

/** The listings of a person that a jam takes, for the page where one picks one. */
export async function listOwnGames(db: Db, userUid: string, limit: number) {
  return await db.execute<{ uid: string; name: string; vanityName: string }>(sql`
    select game.uid, game.name, game.vanity_name as "vanityName" from games as game
    where game.owner_uid = ${userUid} or game.uid in (select game_uid from game_admins as team
      where team.user_uid = ${userUid} and team.accepted_at is not null)
    order by game.updated_at desc, game.uid limit ${limit}`)
}

/** The entries of these listings in a jam, by listing. */
export async function listEnteredGames(
  db: Db,
  jamUid: string,
  gameUids: readonly string[],
): Promise<string[]> {
  const rows = await db.execute<{ uid: string }>(sql`
    select game_uid as uid from jam_entries where jam_uid = ${jamUid} and withdrawn_at is null
      and game_uid = any(${textList(gameUids)}::uuid[])`)
  return rows.map(({ uid }) => uid)
}
