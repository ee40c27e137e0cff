import { asc, eq } from 'drizzle-orm'

import type { Db } from '../../../db/client.ts'
import { personColumns } from '../../../db/person-columns.ts'
import { pageOf } from '../../../db/rows.ts'
import { users } from '../../../db/schema/accounts.ts'
import { jamMembers } from '../../../db/schema/jams.ts'
import type { Page } from '../../../lib/paging.ts'

/** In the order in which they joined. */
export async function pageMembers(db: Db, jamUid: string, page: Page) {
  const isOfJam = eq(jamMembers.jamUid, jamUid)
  const ordered = db
    .select({ ...personColumns, since: jamMembers.createdAt })
    .from(jamMembers)
    .innerJoin(users, eq(users.id, jamMembers.userUid))
    .where(isOfJam)
    .orderBy(asc(jamMembers.createdAt), asc(jamMembers.userUid))
  return await pageOf(ordered, db.$count(jamMembers, isOfJam), page)
}
