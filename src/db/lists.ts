import { type SQL, sql } from 'drizzle-orm'

/** Control characters, which none of our texts contain. */
const [SEPARATOR, NULL] = ['\u001f', '\u001e']

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
