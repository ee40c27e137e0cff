import type { Static, TObject, TSchema } from '@sinclair/typebox'

import { type CamelCase, toCamelCase } from './text/camel-case.ts'

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
