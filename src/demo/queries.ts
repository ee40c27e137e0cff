import { desc, eq, getTableColumns, inArray, like, type SQL, sql, type SQLChunk } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'

import { anyOf, changed, type Db, textList, type Transaction } from '../db/client.ts'
import { users } from '../db/schema/accounts.ts'
import { changelogEntries, editions, gameAdmins, images, pressKits } from '../db/schema/games/game-pages.ts'
import { licenses, playTimes, reviews } from '../db/schema/games/game-players.ts'
import {
  gameDependencies,
  gameSimilarTitles,
  hiddenTags,
  tagSuggestions,
} from '../db/schema/games/game-relations.ts'
import { games, oldVanityNames } from '../db/schema/games/games.ts'
import { profiles } from '../db/schema/profiles.ts'
import type { Random } from '../lib/random.ts'
import { skeletonOf } from '../lib/text/skeleton.ts'
import { DAY_MS } from '../lib/time.ts'

export type UserValues = typeof users.$inferInsert
export type GameValues = typeof games.$inferInsert
type ImageValues = typeof images.$inferInsert

/** Tables whose rows belong to the listings of the catalog. */
const COMMUNITY_TABLES = {
  editions,
  changelogEntries,
  pressKits,
  gameDependencies,
  gameSimilarTitles,
  gameAdmins,
  licenses,
  playTimes,
  reviews,
  tagSuggestions,
  hiddenTags,
}
type CommunityTable = keyof typeof COMMUNITY_TABLES
export type CommunityRows = {
  [Table in CommunityTable]: (typeof COMMUNITY_TABLES)[Table]['$inferInsert'][]
}

/** Serializes concurrent loads. */
export async function lockDemo(tx: Transaction): Promise<void> {
  // No timeouts: a concurrent load may take longer than a request is allowed to.
  await tx.execute(
    sql`select set_config('lock_timeout', '0', true), set_config('statement_timeout', '0', true)`,
  )
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('demo', 0))`)
}

/** Finds the listings that have these names now or had them before. */
export async function findNamed(db: Db, names: readonly string[]): Promise<Map<string, string>> {
  const current = await db
    .select({ name: games.vanityName, uid: games.uid })
    .from(games)
    .where(inArray(games.vanityName, [...names]))
  const old = await db
    .select({ name: oldVanityNames.name, uid: oldVanityNames.gameUid })
    .from(oldVanityNames)
    .where(inArray(oldVanityNames.name, [...names]))
  return new Map([...old, ...current].map(({ name, uid }) => [name, uid]))
}

/** Changes usernames that are already taken. */
export async function insertPeople(db: Db, people: readonly UserValues[]): Promise<void> {
  const names = people.map(({ username }) => username)
  const taken = await db
    .select({ username: users.username })
    .from(users)
    .where(inArray(users.username, names))
  const known = new Set(taken.map(({ username }) => username))
  const rows = people.map((person) =>
    known.has(person.username) ? { ...person, username: `${person.username}-demo` } : person,
  )
  await insertRows(db, users, rows, { skipKnown: true })
}

/** Gives the accounts without a display name theirs. */
export async function nameUnnamed(
  db: Db,
  people: readonly Pick<UserValues, 'name' | 'email'>[],
): Promise<void> {
  const columns = [
    textList(people.map(({ email }) => email)),
    textList(people.map(({ name }) => name)),
    textList(people.map(({ name }) => skeletonOf(name))),
  ]
  await db.execute(sql`
    update ${users} set display_name = wanted.name, name_skeleton = wanted.skeleton from unnest(${list(columns)}) as wanted (email, name, skeleton)
    where ${users.email} = wanted.email and ${users.displayName} is null and ${users.username} <> wanted.name`)
}

/** The picture comes with the profile. */
export async function insertProfile(
  db: Db,
  { pictureKey, ...values }: typeof profiles.$inferInsert & Pick<UserValues, 'pictureKey'>,
): Promise<void> {
  const isNew = await changed(db.insert(profiles).values(values).onConflictDoNothing())
  if (isNew) await db.update(users).set({ pictureKey }).where(eq(users.id, values.userUid))
}

export async function findPeople(db: Db, emails: readonly string[]): Promise<Map<string, string>> {
  const rows = await db
    .select({ email: users.email, uid: users.id })
    .from(users)
    .where(inArray(users.email, [...emails]))
  return new Map(rows.map(({ email, uid }) => [email, uid]))
}

export async function insertGames(db: Db, rows: readonly GameValues[]): Promise<void> {
  await insertRows(db, games, rows)
}

export async function insertImages(db: Db, rows: readonly ImageValues[]): Promise<void> {
  await insertRows(db, images, rows)
}

export async function insertCommunity(db: Db, listings: readonly CommunityRows[]): Promise<void> {
  for (const [name, table] of Object.entries<PgTable>(COMMUNITY_TABLES)) {
    await insertRows(
      db,
      table,
      listings.flatMap<PgTable['$inferInsert']>((rows) => rows[name as CommunityTable]),
    )
  }
}

/** Sets the final visibility and update time of listings. */
export async function finishGames(
  db: Db,
  rows: readonly Pick<GameValues, 'uid' | 'visibility' | 'updatedAt'>[],
): Promise<void> {
  const columns = [
    textList(rows.map(({ uid = null }) => uid)),
    textList(rows.map(({ visibility = null }) => visibility)),
    textList(rows.map(({ updatedAt }) => updatedAt?.toISOString() ?? null)),
  ]
  await db.execute(sql`
    update ${games} set visibility = wanted.visibility, updated_at = wanted.updated_at::timestamptz
    from unnest(${list(columns)}) as wanted (uid, visibility, updated_at)
    where ${games.uid} = wanted.uid::uuid`)
}

export type SharedPicture = Pick<ImageValues, 'kind' | 'objectKey' | 'width' | 'height' | 'size'>

/** Lists covers and thumbnails of the demo pages, always in the same order. */
export async function listSharedPictures(db: Db, names: readonly string[]): Promise<SharedPicture[]> {
  return await db.execute<SharedPicture & Record<string, unknown>>(sql`
    select kind, object_key as "objectKey", width, height, size from ${images}
    where kind <> 'gallery' and game_uid in (
      select uid from ${games} where vanity_name in ${[...names]}
    ) order by kind, object_key`)
}

/** The names of bulk listings end in their number, and their uids are in the same order. */
export async function findNextBulkNumber(db: Db, ownerEmails: string): Promise<number> {
  const [last] = await db
    .select({ name: games.vanityName })
    .from(games)
    .innerJoin(users, eq(users.id, games.ownerUid))
    .where(like(users.email, ownerEmails))
    .orderBy(desc(games.uid))
    .limit(1)
  return last ? Number(/\d+$/.exec(last.name)?.[0]) + 1 : 0
}

export async function insertBulkOwners(db: Db, rows: readonly UserValues[]): Promise<void> {
  await insertRows(db, users, rows, { skipKnown: true })
}

export async function findGames(db: Db, uids: readonly string[]): Promise<Set<string>> {
  if (uids.length === 0) return new Set()
  const rows = await db.select({ uid: games.uid }).from(games).where(anyOf(games.uid, uids))
  return new Set(rows.map(({ uid }) => uid))
}

/** Finds which of the listings have pictures. */
export async function findPictured(db: Db, gameUids: readonly string[]): Promise<Set<string>> {
  const rows = await db.select({ uid: images.gameUid }).from(images).where(anyOf(images.gameUid, gameUids))
  return new Set(rows.map(({ uid }) => uid))
}

/** Updates the planner's statistics after a large load. */
export async function analyzeTables(db: Db): Promise<void> {
  await db.execute(sql`analyze ${users}, ${games}, ${images}`)
}

/**
 * Inserts any number of rows in one statement, without the limit on parameters. All rows have the columns of
 * the first; missing columns get their defaults.
 */
async function insertRows<Table extends PgTable>(
  db: Db,
  table: Table,
  rows: readonly Table['$inferInsert'][],
  { skipKnown = false } = {},
): Promise<void> {
  const [first] = rows
  if (!first) return
  const columns = Object.entries(getTableColumns(table)).filter(([key]) => key in first)
  const names = columns.map(([, { name }]) => sql.identifier(name))
  const casts = columns.map(
    ([, column]) => sql`${sql.identifier(column.name)}::${sql.raw(column.getSQLType())}`,
  )
  const lists = columns.map(([key, column]) =>
    textList(rows.map((row) => toText(column, Reflect.get(row, key)))),
  )
  await db.execute(sql`
    insert into ${table} (${list(names)})
    select ${list(casts)} from unnest(${list(lists)}) as given (${list(names)})
    ${skipKnown ? sql`on conflict do nothing` : sql``}`)
}

/** Writes a value as text in the way Postgres parses it for the column. */
function toText(column: PgColumn, value: unknown): string | null {
  return value === null || value === undefined ? null : String(column.mapToDriverValue(value))
}

function list(parts: readonly SQLChunk[]): SQL {
  return sql.join([...parts], sql`, `)
}

export function daysBefore(moment: Date, days: number): Date {
  return new Date(moment.getTime() - days * DAY_MS)
}

/** Returns an id that sorts by the given time. */
export function uidAt(moment: Date): string {
  return Bun.randomUUIDv7('hex', moment)
}

/** Returns such an id with a random part that is determined by the seed. */
export function seededUid(moment: Date, random: Random): string {
  const time = moment.getTime().toString(16).padStart(12, '0')
  const hex = (digits: number) =>
    random
      .below(16 ** digits)
      .toString(16)
      .padStart(digits, '0')
  const variant = (8 + random.below(4)).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-${variant}${hex(3)}-${hex(6)}${hex(6)}`
}
