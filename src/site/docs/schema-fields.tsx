import { type NamedSchemas, nameOfReference, resolveSchema } from '../../http/openapi/schemas.ts'
import type { Schema } from '../../http/openapi/types.ts'
import { Markdown } from './markdown.tsx'

const MAX_DEPTH = 8

interface SchemaProps {
  schema: Schema
  named: NamedSchemas
}

/** Lists the fields of an object; nested objects open on demand. */
export function SchemaFields({ schema, named, depth = 0 }: SchemaProps & { depth?: number }) {
  const fields = fieldsOf(schema, named)
  if (fields.length === 0) return null
  return (
    <ul class="fields">
      {fields.map((field) => (
        <SchemaField key={field.name} {...field} named={named} depth={depth} />
      ))}
    </ul>
  )
}

interface Field {
  name: string
  schema: Schema
  isRequired: boolean
}

function SchemaField({ name, schema, isRequired, named, depth }: Field & SchemaProps & { depth: number }) {
  const inner = objectInside(schema, named)
  const hasInner = inner !== null && depth < MAX_DEPTH && fieldsOf(inner, named).length > 0
  return (
    <li>
      <FieldHead name={name} schema={schema} note={isRequired ? '' : 'optional'} />
      <SchemaNotes schema={schema} />
      {hasInner ? (
        <details open={depth < 1}>
          <summary>Fields of {name}</summary>
          <SchemaFields schema={inner} named={named} depth={depth + 1} />
        </details>
      ) : null}
    </li>
  )
}

/** The first line about a field or a parameter: name, type and whether it may be left out. */
export function FieldHead({ name, schema, note }: { name: string; schema: Schema; note: string }) {
  return (
    <div class="row">
      <code class="name">{name}</code>
      <span class="quiet small">{typeOf(schema)}</span>
      {note === '' ? null : <em class="quiet small">{note}</em>}
    </div>
  )
}

/** Description, allowed values and bounds of a schema. */
export function SchemaNotes({ schema }: { schema: Schema }) {
  const values = schema.enum ?? schema.items?.enum ?? []
  const bounds = boundsOf(schema)
  return (
    <>
      {schema.description === undefined ? null : <Markdown text={schema.description} class="note" />}
      {values.length > 0 ? <CodeNote label="One of" texts={values.map(String)} /> : null}
      {bounds.length > 0 ? <p class="note">{bounds.join(' · ')}</p> : null}
    </>
  )
}

export function CodeNote({ label, texts }: { label: string; texts: readonly string[] }) {
  return (
    <p class="note">
      {label}{' '}
      {texts.map((text) => (
        <>
          <code key={text}>{text}</code>{' '}
        </>
      ))}
    </p>
  )
}

function typeOf(schema: Schema): string {
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
