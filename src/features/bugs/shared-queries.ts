import { eq, or, type SQL, sql } from 'drizzle-orm'

import { bugTickets } from '../../db/schema/bugs.ts'
import type { Filer } from './filer-model.ts'

/** Tickets that the filer sent, with either account. */
export function isFiledBy({ userUid, extstoreId }: Filer): SQL {
  return (
    or(
      userUid === null ? undefined : eq(bugTickets.userUid, userUid),
      extstoreId === null ? undefined : eq(bugTickets.extstoreId, extstoreId),
    ) ?? sql`false`
  )
}
