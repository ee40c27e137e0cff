import { type SQL, sql } from 'drizzle-orm'

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
