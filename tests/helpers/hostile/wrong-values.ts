import { Kind, OptionalKind, type TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { createUid } from '../../../src/lib/ids.ts'

/** A value that its schema refuses, or one it leaves to the service, and the path of what is wrong. */
export interface WrongValue {
  path: string
  value: unknown
}

/** No field of any body is an object of this shape. */
const STRANGE = { strange: true }

/** At least one wrong value for each field of a schema, at any depth; and a field it does not have. */
export function listWrongValues(schema: TSchema, valid: unknown = sampleOf(schema)): WrongValue[] {
  return [...walk(schema, valid)].filter(
    ({ value }) => isLeftToService(schema) || !Value.Check(schema, value),
  )
}

function* walk(schema: TSchema, valid: unknown): Generator<WrongValue> {
  if (schema[Kind] === 'Object') yield* walkObject(schema, valid as Record<string, unknown>)
  else if (schema[Kind] === 'Array') yield* walkList(schema)
  else if (schema[Kind] === 'Union') {
    for (const variant of schema.anyOf as TSchema[]) yield* walk(variant, sampleOf(variant))
  } else yield* wrongOnes(schema).map((value) => ({ path: '', value }))
}

function* walkObject(schema: TSchema, valid: Record<string, unknown>): Generator<WrongValue> {
  const { properties, additionalProperties } = schema as { properties: Record<string, TSchema> } & TSchema
  for (const [name, field] of Object.entries(properties)) {
    for (const { path, value } of walk(field, valid[name] ?? sampleOf(field))) {
      if (isLeftToService(field) || !Value.Check(field, value))
        yield { path: path === '' ? name : `${name}.${path}`, value: { ...valid, [name]: value } }
    }
    if (field[OptionalKind] === undefined) yield { path: name, value: { ...valid, [name]: undefined } }
  }
  if (additionalProperties === false) yield { path: 'strange', value: { ...valid, ...STRANGE } }
  yield { path: '', value: 'strange' }
}

function* walkList({ items, maxItems }: TSchema): Generator<WrongValue> {
  for (const { path, value } of walk(items, sampleOf(items))) {
    if (isLeftToService(items) || !Value.Check(items, value))
      yield { path: path === '' ? '0' : `0.${path}`, value: [value] }
  }
  yield { path: '', value: STRANGE }
  if (maxItems !== undefined)
    yield { path: '', value: Array.from({ length: maxItems + 1 }, () => sampleOf(items)) }
}

function wrongOnes(schema: TSchema): unknown[] {
  const { minLength = 0, maxLength = 0, minimum = 0, maximum = 0 } = schema
  if (schema[Kind] === 'String')
    return [STRANGE, 7, '!', '', 'x'.repeat(maxLength + 1), 'x'.repeat(Math.max(0, minLength - 1))]
  if (schema[Kind] === 'Integer' || schema[Kind] === 'Number')
    return ['seven', 1.5, minimum - 1, maximum + 1, STRANGE]
  return schema[Kind] === 'Unknown' ? [STRANGE] : [STRANGE, 'strange']
}

/** Values without a type in the schema; the service checks them, with a code of its own. */
function isLeftToService(schema: TSchema): boolean {
  if (schema[Kind] === 'Object') return Object.values<TSchema>(schema.properties).some(isLeftToService)
  return schema[Kind] === 'Unknown'
}

function sampleOf(schema: TSchema): unknown {
  switch (schema[Kind]) {
    case 'Object':
      return Object.fromEntries(
        Object.entries<TSchema>(schema.properties)
          .filter(([, field]) => field[OptionalKind] === undefined)
          .map(([name, field]) => [name, sampleOf(field)]),
      )
    case 'Array':
      return Array.from({ length: schema.minItems ?? 0 }, () => sampleOf(schema.items))
    case 'String':
      if (schema.format === 'date-time') return new Date().toISOString()
      return schema.format === 'uuid'
        ? createUid()
        : (schema.examples?.[0] ?? 'x'.repeat(schema.minLength ?? 1))
    case 'Integer':
    case 'Number':
      return schema.minimum ?? 1
    case 'Boolean':
      return true
    case 'UnionEnum':
      return schema.enum[0]
    case 'Union':
      return sampleOf(schema.anyOf[0])
    default:
      return null
  }
}
