import { type Static, type TObject, type TSchema, TypeGuard } from '@sinclair/typebox'

import { invalidField } from '../../errors.ts'
import { checkForm, parseCents, textOf } from './form-state.ts'

/** Reads one field from a form; undefined leaves it out. */
export type FieldReader = (form: URLSearchParams, name: string) => unknown

/** A checkbox, or a hidden field with `true` or `false`. */
export const checked: FieldReader = (form, name) => form.has(name) && form.get(name) !== 'false'
/** An amount in dollars, in cents; empty is 0. */
export const dollars: FieldReader = (form, name) => parseCents(form, name)
/** An amount in dollars, in cents; empty leaves it out. */
export const maybeDollars: FieldReader = (form, name) =>
  textOf(form, name).trim() === '' ? undefined : parseCents(form, name)
export const trimmed: FieldReader = (form, name) => textOf(form, name).trim()
/** A text that is left out where it is empty. */
export const maybeText: FieldReader = (form, name) => textOf(form, name).trim() || undefined
/** A text as it was typed, also an empty one. */
export const typed: FieldReader = (form, name) => form.get(name) ?? undefined
/** A day and a time of UTC; empty is null. */
export const utcTime: FieldReader = (form, name) => {
  const text = textOf(form, name).trim()
  if (text === '') return null
  const time = new Date(`${text}Z`)
  if (Number.isNaN(time.getTime())) throw invalidField(name, 'must be a day and a time.')
  return time.toISOString()
}
/** A text area, with `\n` as line breaks; browsers send `\r\n`. */
export const lines: FieldReader = (form, name) => textOf(form, name).replaceAll('\r\n', '\n')

/**
 * Reads a sent form by the schema of the API's body. Fields that people type in another way have a reader of
 * their own: `readForm(EditionInput, form, {price_cents: dollars})`. Missing optional fields are left out;
 * empty ones are null where the schema allows it.
 */
export function readForm<Schema extends TObject>(
  schema: Schema,
  form: URLSearchParams,
  readers: { readonly [Name in keyof Static<Schema>]?: FieldReader } = {},
): Static<Schema> {
  const own: Readonly<Record<string, FieldReader | undefined>> = readers
  const input: Record<string, unknown> = {}
  for (const [name, field] of Object.entries<TSchema>(schema.properties)) {
    const reader = own[name]
    const value = reader ? reader(form, name) : readField(form, name, field)
    if (value !== undefined) input[name] = value
  }
  checkForm(schema, input as Static<Schema>)
  return input
}

function readField(form: URLSearchParams, name: string, field: TSchema): unknown {
  const isOptional = TypeGuard.IsOptional(field)
  if (isOptional && !form.has(name)) return undefined
  const { kind, isNullable } = kindOf(field)
  if (kind === 'array') return form.getAll(name).filter((text) => text !== '')
  if (kind === 'boolean') return checked(form, name)
  const text = textOf(form, name)
  if (text.trim() === '' && isNullable) return null
  if (text.trim() === '' && kind !== 'string') return undefined
  // Invalid numbers stay text, so that the schema refuses them at their field.
  if (kind === 'integer' || kind === 'number') return Number.isNaN(Number(text)) ? text : Number(text)
  return text
}

function kindOf(field: TSchema): { kind: unknown; isNullable: boolean } {
  const variants = (field.anyOf as TSchema[] | undefined) ?? [field]
  const isNull = (variant: TSchema) => variant.type === 'null'
  const value = variants.find((variant) => !isNull(variant)) ?? field
  return { kind: value.type, isNullable: variants.some(isNull) || field.nullable === true }
}
