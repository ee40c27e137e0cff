import { and, eq, not, sql } from 'drizzle-orm'

import { anyOf, buildOnce, type Db } from '../../../db/client.ts'
import { personColumns } from '../../../db/person-columns.ts'
import { users } from '../../../db/schema/accounts.ts'
import { games } from '../../../db/schema/games/games.ts'
import { smallCover } from '../../listings/images/shared-queries.ts'

/** The image is selected with the listing. */
const shownListing = sql<{ uid: string; vanityName: string; name: string; ownerUid: string } | null>`
  json_build_object('uid', ${games.uid}, 'vanityName', ${games.vanityName}, 'name', ${games.name},
    'ownerUid', ${games.ownerUid})`

/**
 * Listings with their developers, and developers alone, of those that are still shown. Asked with every letter that is
 * typed, so it is one statement.
 */
export async function listSuggested(db: Db, uids: readonly string[], usernames: readonly string[]) {
  return await suggested(db).execute({ uids, usernames })
}

const suggested = buildOnce((db) =>
  db
    .select({ ...personColumns, listing: shownListing, image: smallCover })
    .from(games)
    .innerJoin(users, eq(users.id, games.ownerUid))
    .where(and(anyOf(games.uid, sql.placeholder('uids')), eq(games.visibility, 'public'), not(games.adult)))
    .unionAll(
      db
        .select({
          ...personColumns,
          listing: sql<null>`null::json`,
          image: sql<null>`null::json`,
        })
        .from(users)
        .where(anyOf(users.username, sql.placeholder('usernames'))),
    )
    .prepare('suggested'),
)
