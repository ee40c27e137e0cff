import { Html, html, markdown } from '../../../lib/text/html.ts'
import { type NamedSchemas, nameOfReference, resolveSchema } from '../schemas.ts'
import type { Schema } from '../types.ts'

const MAX_DEPTH = 8

/** Lists the fields of an object; nested objects open on demand. */
export function renderFields(schema: Schema, named: NamedSchemas, depth = 0): Html {
  const fields = fieldsOf(schema, named)
  return html`<ul class="fields">
    ${fields.map((field) => renderField(field, named, depth))}
  </ul>`
}

interface Field {
  name: string
  schema: Schema
  isRequired: boolean
}

function renderField({ name, schema, isRequired }: Field, named: NamedSchemas, depth: number): Html {
  const inner = objectInside(schema, named)
  const hasInner = inner !== null && depth < MAX_DEPTH && fieldsOf(inner, named).length > 0
  return html`<li>
    <div class="field">
      <code class="name">${name}</code> <span class="type">${typeOf(schema)}</span>
      ${!isRequired && html`<span class="optional">optional</span>`}
    </div>
    ${renderNotes(schema)}
    ${
      hasInner &&
      html`<details ${depth < 1 && new Html('open')}>
        <summary>Fields of ${name}</summary>
        ${renderFields(inner, named, depth + 1)}
      </details>`
    }
  </li>`
}

/** Description, allowed values and bounds of a schema. */
export function renderNotes(schema: Schema): Html {
  const bounds = boundsOf(schema)
  const values = (schema.enum ?? schema.items?.enum ?? []).map(
    (value) => html`<code>${String(value)}</code> `,
  )
  return html`${schema.description !== undefined && html`<div class="note">${markdown(schema.description)}</div>`}
  ${values.length > 0 && html`<p class="note">One of ${values}</p>`}
  ${bounds.length > 0 && html`<p class="note">${bounds.join(' · ')}</p>`}`
}

export function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return nameOfReference(schema.$ref)
  if ('const' in schema) return JSON.stringify(schema.const)
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return [...new Set(alternatives.map((member) => typeOf(member)))].join(' or ')
  if (schema.type === 'array') return `list of ${schema.items ? typeOf(schema.items) : 'anything'}`
  if (schema.type === 'object' || schema.allOf) return 'object'
  if (schema.format !== undefined) return schema.format
  return schema.type ?? 'anything'
}

function fieldsOf(schema: Schema, named: NamedSchemas): Field[] {
  const { properties = {}, required = [], allOf = [] } = resolveSchema(schema, named)
  const own = Object.entries(properties).map(([name, field]) => ({
    name,
    schema: field,
    isRequired: required.includes(name),
  }))
  return [...own, ...allOf.flatMap((part) => fieldsOf(part, named))]
}

/** The object in a field: the field itself, its only object alternative, or the items of its list. */
function objectInside(schema: Schema, named: NamedSchemas): Schema | null {
  const resolved = resolveSchema(schema, named)
  if (resolved.properties || resolved.allOf) return resolved
  if (resolved.items) return objectInside(resolved.items, named)
  const [first = null, second] = (resolved.anyOf ?? resolved.oneOf ?? [])
    .map((member) => objectInside(member, named))
    .filter((member) => member !== null)
  return second === undefined ? first : null
}

function boundsOf(schema: Schema): string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern } = schema
  return [
    ...range(minimum, maximum, ''),
    ...range(minLength, maxLength, ' characters'),
    ...range(minItems, maxItems, ' entries'),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
    ...(pattern === undefined ? [] : [`matches ${pattern}`]),
  ]
}

function range(min: number | undefined, max: number | undefined, unit: string): string[] {
  if (min !== undefined && max !== undefined) return [`${min} to ${max}${unit}`]
  if (min !== undefined) return [`at least ${min}${unit}`]
  return max === undefined ? [] : [`at most ${max}${unit}`]
}
