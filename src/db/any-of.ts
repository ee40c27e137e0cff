import { type Column, type Placeholder, type SQL, sql } from 'drizzle-orm'

/** The column is one of these, however many they are: unlike `inArray` the text of the query stays the same. */
export function anyOf(column: Column, values: readonly (string | number)[] | Placeholder): SQL {
  const list = Array.isArray(values) ? sql.param([...values]) : values
  return sql`${column} = any(${list}::${sql.raw(column.getSQLType())}[])`
}
