import { type Column, type Placeholder, type SQL, sql } from 'drizzle-orm'

/** Matches any of the values. Unlike `inArray`, the query text does not depend on how many there are. */
export function anyOf(column: Column, values: readonly (string | number)[] | Placeholder): SQL {
  const list = Array.isArray(values) ? sql.param([...values]) : values
  return sql`${column} = any(${list}::${sql.raw(column.getSQLType())}[])`
}
