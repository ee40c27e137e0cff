import { and, count, desc, eq, inArray, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { licenses, playTimes } from '../../../db/schema/games/game-players.ts'
import { games } from '../../../db/schema/games/games.ts'
import type { AssetType } from '../../../domain/listings/listing.ts'
import type { Page } from '../../../lib/paging.ts'
import { heldBy, isPaid } from './license-queries.ts'
import type { LibraryPart, LibrarySort } from './model.ts'

export type LibraryRow = Awaited<ReturnType<typeof selectLibrary>>[number]
export type HolderRow = Awaited<ReturnType<typeof listHolders>>[number]

/** The public listings of these types that the player has a licence for. */
export async function listOwnedUids(db: Db, userUid: string, types: readonly AssetType[]): Promise<string[]> {
  const rows = await db
    .select({ uid: games.uid })
    .from(licenses)
    .innerJoin(games, eq(games.uid, licenses.gameUid))
    .where(
      and(
        eq(licenses.userUid, userUid),
        eq(licenses.pending, false),
        eq(games.visibility, 'public'),
        inArray(games.assetType, [...types]),
      ),
    )
    .orderBy(games.uid)
  return rows.map(({ uid }) => uid)
}

const selectLibrary = (db: Db) =>
  db
    .select({
      game: {
        uid: games.uid,
        vanityName: games.vanityName,
        name: games.name,
        assetType: games.assetType,
        visibility: games.visibility,
        adult: games.adult,
        isTakenDown: sql<boolean>`${games.takenDown} is not null`,
      },
      license: licenses,
      isPaid: sql<boolean>`${isPaid}`,
      playSeconds: playTimes.seconds,
      /** Of all that fit, also those on other pages. */
      total: sql`count(*) over ()`.mapWith(Number),
    })
    .from(licenses)
    .leftJoin(games, eq(games.uid, licenses.gameUid))
    .leftJoin(
      playTimes,
      and(eq(playTimes.userUid, licenses.userUid), eq(playTimes.gameUid, licenses.gameUid)),
    )

export interface LibraryFilter {
  /** Part of the name; empty for everything. */
  text: string
  sort: LibrarySort
  show: LibraryPart
}

/** What the holder knows it by: the page's name while that is open, or else the one of the licence. */
const shownName = sql`case when ${games.visibility} in ('public', 'invisible') then ${games.name}
  else coalesce(${licenses.gameName}, '') end`

const PARTS: Readonly<Record<LibraryPart, SQL | undefined>> = {
  all: isNull(licenses.hiddenAt),
  kept: and(isNull(licenses.hiddenAt), eq(licenses.pending, false)),
  pending: and(isNull(licenses.hiddenAt), eq(licenses.pending, true)),
  hidden: isNotNull(licenses.hiddenAt),
}

const isListed = (userUid: string, { text, show }: LibraryFilter) =>
  and(
    eq(licenses.userUid, userUid),
    // A gift that nobody accepted ends with its listing.
    or(eq(licenses.pending, false), isNull(licenses.removedAt)),
    PARTS[show],
    text === '' ? undefined : sql`position(lower(${text}) in lower(${shownName})) > 0`,
  )

const ORDERS: Readonly<Record<LibrarySort, SQL>> = {
  newest: desc(licenses.createdAt),
  name: sql`lower(${shownName})`,
  played: sql`${playTimes.seconds} desc nulls last`,
}

export async function listLibrary(
  db: Db,
  userUid: string,
  page: Page,
  filter: LibraryFilter,
): Promise<LibraryRow[]> {
  return await selectLibrary(db)
    .where(isListed(userUid, filter))
    .orderBy(ORDERS[filter.sort], desc(licenses.createdAt), desc(licenses.gameUid))
    .limit(page.page_size)
    .offset(page.offset)
}

export async function findLibraryRow(
  db: Db,
  userUid: string,
  gameUid: string,
): Promise<LibraryRow | undefined> {
  const [row] = await selectLibrary(db).where(heldBy(userUid, gameUid))
  return row
}

export async function countLibrary(db: Db, userUid: string, filter: LibraryFilter): Promise<number> {
  const [row] = await db
    .select({ count: count() })
    .from(licenses)
    .leftJoin(games, eq(games.uid, licenses.gameUid))
    .where(isListed(userUid, filter))
  return row?.count ?? 0
}

const selectHolders = (db: Db) =>
  db
    .select({
      username: users.username,
      source: licenses.source,
      pending: licenses.pending,
      createdAt: licenses.createdAt,
    })
    .from(licenses)
    .innerJoin(users, eq(users.id, licenses.userUid))

export async function listHolders(db: Db, gameUid: string, page: Page) {
  return await selectHolders(db)
    .where(eq(licenses.gameUid, gameUid))
    .orderBy(desc(licenses.createdAt), desc(licenses.userUid))
    .limit(page.page_size)
    .offset(page.offset)
}

export async function findHolder(db: Db, userUid: string, gameUid: string): Promise<HolderRow | undefined> {
  const [row] = await selectHolders(db).where(heldBy(userUid, gameUid))
  return row
}

export async function countHolders(db: Db, gameUid: string): Promise<number> {
  return await db.$count(licenses, eq(licenses.gameUid, gameUid))
}

export async function findPlaySeconds(db: Db, userUid: string, gameUid: string): Promise<number> {
  const [row] = await db
    .select({ seconds: playTimes.seconds })
    .from(playTimes)
    .where(and(eq(playTimes.userUid, userUid), eq(playTimes.gameUid, gameUid)))
  return row?.seconds ?? 0
}
