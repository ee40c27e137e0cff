import type { Schema } from './types.ts'

/** Schemas with an `$id` are written once, under components, and referenced. */
export type NamedSchemas = Record<string, Schema>

/** Defaults are filled into requests; in responses they have no meaning. */
type SchemaUse = 'request' | 'response'

const COMPONENT_PREFIX = '#/components/schemas/'
/** Text formats for other types in a query or a form; the document shows the actual type. */
const CODED_FORMATS = new Set(['numeric', 'integer', 'boolean', 'ObjectString', 'ArrayString', 'ArrayQuery'])
/** Keywords that only Elysia understands. */
const LIBRARY_KEYWORDS = new Set(['error', 'nullable', 'noValidate'])
const ANY_KEY = '^(.*)$'

/** Converts a route's schema to plain JSON Schema 2020-12. */
export function toDocumentSchema(schema: unknown, use: SchemaUse, named: NamedSchemas): Schema {
  const plain: Schema = JSON.parse(JSON.stringify(schema))
  return clean(plain, use, named)
}

/** The same without references, for readers that expect none. */
export function toInlineSchema(schema: unknown, use: SchemaUse): Schema {
  const named: NamedSchemas = {}
  const inline = (inner: Schema): Schema => mapInner(resolveSchema(inner, named), inline)
  return inline(toDocumentSchema(schema, use, named))
}

export function resolveSchema(schema: Schema, named: NamedSchemas): Schema {
  if (schema.$ref === undefined) return schema
  return named[schema.$ref.slice(COMPONENT_PREFIX.length)] ?? {}
}

export function nameOfReference(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

function clean(schema: Schema, use: SchemaUse, named: NamedSchemas): Schema {
  const { $id, default: preset, patternProperties, ...kept } = omit(schema, LIBRARY_KEYWORDS)
  const result = simplify(mapInner(kept, (inner) => clean(inner, use, named)))
  if (use === 'request' && preset !== undefined && result.format !== 'binary') result.default = preset
  if (isSchemaMap(patternProperties)) {
    const { [ANY_KEY]: anyKey, ...patterns } = patternProperties
    if (anyKey) result.additionalProperties = clean(anyKey, use, named)
    if (Object.keys(patterns).length > 0) {
      result.patternProperties = mapValues(patterns, (inner) => clean(inner, use, named))
    }
  }
  return typeof $id === 'string' ? name($id, result, named) : result
}

function name(id: string, schema: Schema, named: NamedSchemas): Schema {
  const known = (named[id] ??= schema)
  if (!Bun.deepEquals(known, schema)) throw new Error(`Two different schemas have the $id "${id}"`)
  return { $ref: COMPONENT_PREFIX + id }
}

/** Applies a change to every schema directly inside this one. */
export function mapInner(schema: Schema, change: (inner: Schema) => Schema): Schema {
  const result = { ...schema }
  if (result.properties) result.properties = mapValues(result.properties, change)
  if (result.items) result.items = change(result.items)
  if (typeof result.additionalProperties === 'object') {
    result.additionalProperties = change(result.additionalProperties)
  }
  for (const key of ['anyOf', 'oneOf', 'allOf'] as const) {
    const members = result[key]
    if (members) result[key] = members.map(change)
  }
  return result
}

function simplify(schema: Schema): Schema {
  const { anyOf, ...rest } = schema
  if (!anyOf) return schema
  if (anyOf.some((member) => member.type === 'Date')) return { ...rest, type: 'string', format: 'date-time' }
  const members = anyOf.filter((member) => !CODED_FORMATS.has(member.format ?? ''))
  const [only] = members
  if (only && members.length === 1) return { ...only, ...rest }
  if (members.every((member) => 'const' in member)) {
    const types = new Set(members.map((member) => member.type))
    const [type] = types
    const values = members.map((member) => member.const)
    return { ...rest, ...(type !== undefined && types.size === 1 ? { type } : {}), enum: values }
  }
  return { ...rest, anyOf: members }
}

function mapValues(
  schemas: Record<string, Schema>,
  change: (schema: Schema) => Schema,
): Record<string, Schema> {
  return Object.fromEntries(Object.entries(schemas).map(([key, schema]) => [key, change(schema)]))
}

function omit(schema: Schema, keywords: ReadonlySet<string>): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.has(keyword)))
}

function isSchemaMap(value: unknown): value is Record<string, Schema> {
  return typeof value === 'object' && value !== null
}

const BY_FORMAT: Readonly<Record<string, string>> = {
  uuid: '01980f5e-7a31-7c24-9d0b-52c1f6a3e8b4',
  'date-time': '2026-01-31T12:00:00.000Z',
  date: '2026-01-31',
  email: 'player@example.org',
  uri: 'https://games.example.org/',
}

/** Builds a valid value from the schema, using the `examples` of its parts if there are any. */
export function exampleOf(schema: Schema, named: NamedSchemas): unknown {
  if (schema.$ref !== undefined) return exampleOf(resolveSchema(schema, named), named)
  if (schema.examples && schema.examples.length > 0) return schema.examples[0]
  if ('const' in schema) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.default !== undefined) return schema.default
  if (schema.allOf) {
    return Object.assign(
      {},
      objectExample(schema, named),
      ...schema.allOf.map((part) => exampleOf(part, named)),
    )
  }
  const [alternative] = schema.anyOf ?? schema.oneOf ?? []
  if (alternative) return exampleOf(alternative, named)
  return exampleOfType(schema, named)
}

function exampleOfType(schema: Schema, named: NamedSchemas): unknown {
  switch (schema.type ?? 'null') {
    case 'object':
      return objectExample(schema, named)
    case 'array':
      return schema.items && schema.maxItems !== 0 ? [exampleOf(schema.items, named)] : []
    case 'string':
      return (
        BY_FORMAT[schema.format ?? ''] ?? 'text'.padEnd(schema.minLength ?? 0, '.').slice(0, schema.maxLength)
      )
    case 'integer':
    case 'number':
      return schema.minimum ?? Math.min(1, schema.maximum ?? 1)
    case 'boolean':
      return true
    default:
      return null
  }
}

function objectExample(schema: Schema, named: NamedSchemas): Record<string, unknown> {
  const properties = Object.entries(schema.properties ?? {})
  return Object.fromEntries(properties.map(([key, inner]) => [key, exampleOf(inner, named)]))
}
