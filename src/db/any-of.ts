import { type Column, type SQL, sql } from 'drizzle-orm'

/** The column is one of these, however many they are: unlike `inArray` the text of the query stays the same. */
export function anyOf(column: Column, uids: readonly string[]): SQL {
  return sql`${column} = any(${sql.param([...uids])}::uuid[])`
}
