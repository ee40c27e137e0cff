import { sql } from 'drizzle-orm'

import { users } from './schema/accounts.ts'

const isShown = sql`${users.suspendedAt} is null`

/** What is shown of a person beside their username, which is also their name until they set one. */
export const personColumns = {
  username: users.username,
  displayName: sql<string>`coalesce(${users.displayName}, ${users.username})`,
  /** Suspended accounts show no picture. */
  pictureKey: sql<string | null>`case when ${isShown} then ${users.pictureKey} end`,
}
