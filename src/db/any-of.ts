import { type Column, type SQL, sql } from 'drizzle-orm'

/** The column is one of these, however many they are: unlike `inArray` the text of the query stays the same. */
export function anyOf(column: Column, values: readonly (string | number)[]): SQL {
  return sql`${column} = any(${sql.param([...values])}::${sql.raw(column.getSQLType())}[])`
}
