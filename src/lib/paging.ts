import type { Static, TObject, TSchema } from '@sinclair/typebox'

import { type CamelCase, toCamelCase } from './text/camel-case.ts'

export const PAGE_SIZE_DEFAULT = 20
export const PAGE_SIZE_MAX = 50

export interface Page {
  page: number
  page_size: number
  offset: number
}

/** Clamps values outside the bounds; anything but a number becomes the default. */
export function parsePage(query: { page?: string | undefined; page_size?: string | undefined }): Page {
  const page = clamp(query.page, 1, 1, 1_000_000)
  const page_size = clamp(query.page_size, PAGE_SIZE_DEFAULT, 1, PAGE_SIZE_MAX)
  return { page, page_size, offset: (page - 1) * page_size }
}

export function clamp(value: string | undefined, fallback: number, min: number, max: number): number {
  const number = value === undefined || value.trim() === '' ? Number.NaN : Number(value)
  if (Number.isNaN(number)) return fallback
  return Math.min(max, Math.max(min, Math.trunc(number)))
}

export interface Paged<Item> {
  items: Item[]
  total: number
  page: number
  page_size: number
}

export function paged<Item>({ page, page_size }: Page, items: Item[], total: number): Paged<Item> {
  return { items, total, page, page_size }
}

type Wire<Value> = Value extends Date ? string : Value

/** Whether the row has the property, under its wire name in camel case and with a value that fits. */
type IsIn<Row, Name extends string, Value> =
  CamelCase<Name> extends keyof Row ? (Wire<Row[CamelCase<Name>]> extends Value ? true : false) : false

/** Texts may be given as dates. */
type Sent<Value> = string extends Value ? Value | Date : Value

/** The properties that the row does not have; those may also be given that it has. */
type Given<Answer, Row> = {
  [Name in keyof Answer as IsIn<Row, Name & string, Answer[Name]> extends true ? never : Name]: Sent<
    Answer[Name]
  >
} & { [Name in keyof Answer]?: Sent<Answer[Name]> }

type Rest<Answer, Row> =
  object extends Given<Answer, Row> ? [given?: Given<Answer, Row>] : [given: Given<Answer, Row>]

/**
 * Builds the answer of a schema: each declared property from `given`, else from the row's property of that
 * name in camel case. Dates become ISO texts; undeclared properties are left out.
 */
export function respond<Schema extends TObject, Row extends object>(
  schema: Schema,
  row: Row,
  ...[given]: Rest<Static<Schema>, Row>
): Static<Schema> {
  const answer: Record<string, unknown> = {}
  const source = row as Record<string, unknown>
  const own: Record<string, unknown> | undefined = given
  for (const { wire, column } of columnsOf(schema)) {
    const value = own !== undefined && wire in own ? own[wire] : source[column]
    if (value !== undefined) answer[wire] = value instanceof Date ? value.toISOString() : value
  }
  return answer
}

/** The answer of a list of rows that were paged by the database. */
export function mapPage<Row, Item>({ items, ...page }: Paged<Row>, toItem: (row: Row) => Item): Paged<Item> {
  return { ...page, items: items.map(toItem) }
}

interface Column {
  wire: string
  column: string
}

const known = new WeakMap<TSchema, readonly Column[]>()

function columnsOf(schema: TObject): readonly Column[] {
  const found = known.get(schema)
  if (found) return found
  const columns = Object.keys(schema.properties).map((wire) => ({ wire, column: toCamelCase(wire) }))
  known.set(schema, columns)
  return columns
}
