import { makePgArray } from 'drizzle-orm/pg-core'
import type postgres from 'postgres'

type ParseOne = (text: string) => string | number
const asText: ParseOne = (text) => text

/**
 * The arrays that statements send and receive, by the number that Postgres gives each of these types everywhere.
 * postgres.js would otherwise ask every new connection for all types, which takes as long as opening it.
 */
export const ARRAY_TYPES = {
  text: arrayType(1009, asText),
  uuid: arrayType(2951, asText),
  smallint: arrayType(1005, Number),
  integer: arrayType(1007, Number),
  /** Can be too large for a number. */
  bigint: arrayType(1016, asText),
}

function arrayType(number: number, parseOne: ParseOne): postgres.PostgresType {
  return {
    to: number,
    from: [number],
    // Drizzle writes the arrays of its columns itself.
    serialize: (value: unknown) => (Array.isArray(value) ? makePgArray(value) : value),
    parse: (text: string) => parseArray(text, parseOne),
  }
}

const VALUE = /"((?:[^"\\]|\\.)*)"|[^,]+/gs
const ESCAPED = /\\(.)/gs

/** Reads an array of one dimension. */
function parseArray(text: string, parseOne: ParseOne): (string | number | null)[] {
  const list = text.slice(1, -1)
  if (list === '') return []
  const parse = (value: string) => (value === 'NULL' ? null : parseOne(value))
  if (!list.includes('"')) return list.split(',').map(parse)
  return Array.from(list.matchAll(VALUE), ([value, quoted]) =>
    quoted === undefined ? parse(value) : parseOne(quoted.replaceAll(ESCAPED, '$1')),
  )
}
