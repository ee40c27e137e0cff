import { and, eq, getTableColumns, inArray, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'

import { anyOf } from '../../../db/any-of.ts'
import { buildOnce } from '../../../db/build-once.ts'
import type { Db } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { games } from '../../../db/schema/games/games.ts'
import { MODDING_TYPES } from '../../../domain/listings/listing.ts'
import { OPEN_VISIBILITIES } from '../../../domain/listings/visibility.ts'

/** Cards do not show the description, which is the only long column, so it is not read. */
const cardColumns = { ...getTableColumns(games), description: sql<string>`''` }

const parent = alias(games, 'parent')
const child = alias(games, 'child')
const isMod = inArray(child.assetType, MODDING_TYPES)
const hasPublicChild = (condition: typeof isMod) => sql<boolean>`exists (
  select 1 from ${games} as child
  where ${child.parentUid} = ${games.uid} and ${child.visibility} = 'public' and ${condition})`

/** What a listing shows of others: its developer, its parent if that is open, and whether it has children. */
const surroundings = {
  uid: games.uid,
  username: users.username,
  parent: {
    uid: parent.uid,
    vanityName: parent.vanityName,
    name: parent.name,
    assetType: parent.assetType,
  },
  hasMods: hasPublicChild(isMod),
  hasTools: hasPublicChild(sql`not ${isMod}`),
}

const isOpenParent = and(eq(parent.uid, games.parentUid), inArray(parent.visibility, OPEN_VISIBILITIES))

export type Surroundings = NonNullable<Awaited<ReturnType<typeof findSurroundings>>>
export type CardRow = Awaited<ReturnType<typeof listPublicGames>>[number]

export async function findSurroundings(db: Db, uid: string) {
  const [row] = await db
    .select(surroundings)
    .from(games)
    .innerJoin(users, eq(users.id, games.ownerUid))
    .leftJoin(parent, isOpenParent)
    .where(eq(games.uid, uid))
  return row
}

/** Omits listings that are not public; the order is undefined. */
export async function listPublicGames(db: Db, uids: readonly string[]) {
  return await publicGames(db).execute({ uids })
}

const publicGames = buildOnce((db) =>
  db
    .select({ ...surroundings, game: cardColumns })
    .from(games)
    .innerJoin(users, eq(users.id, games.ownerUid))
    .leftJoin(parent, isOpenParent)
    .where(and(anyOf(games.uid, sql.placeholder('uids')), eq(games.visibility, 'public')))
    .prepare('public_games'),
)
