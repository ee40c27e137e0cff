import { type Column, type Placeholder, type SQL, sql } from 'drizzle-orm'

/** The column is one of these, however many they are: unlike `inArray` the text of the query stays the same. */
export function anyOf(column: Column, uids: readonly string[] | Placeholder): SQL {
  return sql`${column} = any(${Array.isArray(uids) ? sql.param([...uids]) : uids}::uuid[])`
}
