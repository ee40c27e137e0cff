import addFormats from 'ajv-formats'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

import { mapInner, resolveSchema } from '../../../src/http/openapi/schemas.ts'
import type { Document, Schema } from '../../../src/http/openapi/types.ts'

export type SchemaCheck = (schema: Schema, value: unknown) => string[]

/**
 * Validates values against the document's schemas. A field that no schema lists is an error: it is
 * undocumented.
 */
export function createSchemaCheck({ components }: Document): SchemaCheck {
  const ajv = new Ajv2020({ allErrors: true, strict: false })
  addFormats.default(ajv)
  const named = components.schemas
  const schemas = Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, close(schema)]))
  const compiled = new WeakMap<Schema, ValidateFunction>()

  return (schema, value) => {
    const validate = compiled.get(schema) ?? ajv.compile({ ...close(schema), components: { schemas } })
    compiled.set(schema, validate)
    if (validate(value)) return []
    return (validate.errors ?? []).map(({ instancePath, message, params }) => {
      const name = 'unevaluatedProperty' in params ? ` (${String(params.unevaluatedProperty)})` : ''
      return `${instancePath || '/'} ${message}${name}`
    })
  }

  function close(schema: Schema): Schema {
    const parts = schema.allOf?.map(open)
    const closed = mapInner(schema, close)
    if (parts) closed.allOf = parts
    const names = schema.properties !== undefined || parts !== undefined
    return names && schema.additionalProperties === undefined
      ? { ...closed, unevaluatedProperties: false }
      : closed
  }

  /** Parts of an `allOf` list only their own fields, so only the whole is checked for unlisted ones. */
  function open(part: Schema): Schema {
    const resolved = resolveSchema(part, named)
    const opened = mapInner(resolved, close)
    if (resolved.allOf) opened.allOf = resolved.allOf.map(open)
    return opened
  }
}
