import { type Column, type Placeholder, type SQL, sql } from 'drizzle-orm'

/** Matches any of the values. Unlike `inArray`, the query text does not depend on how many there are. */
export function anyOf(column: Column, values: readonly (string | number)[] | Placeholder): SQL {
  const list = Array.isArray(values) ? sql.param([...values]) : values
  return sql`${column} = any(${list}::${sql.raw(column.getSQLType())}[])`
}

/** Rows as a table, with one parameter for each column: `unnest($1::uuid[], $2::text[])`. */
export function unnest<Row>(rows: readonly Row[], columns: { readonly [Name in keyof Row]?: string }): SQL {
  const lists = (Object.entries(columns) as [keyof Row, string][]).map(
    ([name, type]) => sql`${sql.param(rows.map((row) => row[name]))}::${sql.raw(type)}[]`,
  )
  return sql`unnest(${sql.join(lists, sql`, `)})`
}

/** Control characters, which none of our texts contain. */
const [SEPARATOR, NULL] = ['\u001f', '\u001e']
const [OPEN, CLOSE, COMMA, ZERO] = [0x7b, 0x7d, 0x2c, 0x30]
/** Of a 32-bit number and its comma. */
const CHARACTERS_MAX = 11

/** An array of texts as one parameter: the driver's own arrays quote and escape every value. */
export function textList(texts: readonly (string | null)[]): SQL {
  const joined = texts.map((text) => text ?? NULL).join(SEPARATOR)
  // An empty string would become an empty array.
  return joined === '' && texts.length === 1
    ? sql`array['']`
    : sql`string_to_array(${joined}, ${SEPARATOR}, ${NULL})`
}

export function integerList(numbers: readonly number[]): SQL {
  return sql`${`{${numbers.join()}}`}::integer[]`
}

let written = Buffer.alloc(16_384)

/** An array as Postgres reads it. Takes half as long as joining the numbers, which must not be negative. */
export function formatIntegers(numbers: Int32Array): string {
  if (numbers.length === 0) return '{}'
  const most = numbers.length * CHARACTERS_MAX + 1
  if (written.length < most) written = Buffer.alloc(most)
  // Backwards, because the last digit is found first.
  let start = written.length - 1
  written[start] = CLOSE
  for (let index = numbers.length - 1; index >= 0; index -= 1) {
    let left = numbers[index] ?? 0
    do {
      const tens = Math.trunc(left / 10)
      start -= 1
      written[start] = ZERO + left - tens * 10
      left = tens
    } while (left > 0)
    start -= 1
    written[start] = COMMA
  }
  written[start] = OPEN
  return written.toString('latin1', start)
}
