import { type NamedSchemas, resolveSchema } from './schemas.ts'
import type { Schema } from './types.ts'

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
