import { type Static, type TObject, type TSchema, TypeGuard } from '@sinclair/typebox'

import { AppError, invalidField, invalidFields, type Issue } from '../../errors.ts'
import { toPageMessage } from './field-words.ts'
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

/** Lists are typed with one entry per line, its parts separated by a bar. */
const SEPARATOR = ' | '

export function showLines(entries: readonly object[], parts: readonly string[]): string {
  return entries
    .map((entry) => {
      const texts = parts.map((part) => String(Reflect.get(entry, part) ?? ''))
      return texts.join(SEPARATOR).replace(/(?: \| )+$/, '')
    })
    .join('\n')
}

/** An empty part is left out. */
export function parseEntries(
  form: URLSearchParams,
  name: string,
  parts: readonly string[],
): Record<string, string>[] {
  return linesOf(form, name).map((line) => {
    const texts = line.split('|').map((text) => text.trim())
    return Object.fromEntries(parts.flatMap((part, index) => (texts[index] ? [[part, texts[index]]] : [])))
  })
}

export function linesOf(form: URLSearchParams, name: string): string[] {
  return textOf(form, name)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** Moves a fault of one entry to the field that holds the list, saying which line it is. */
export function placeLines(error: unknown, fieldOf?: (index: number) => string | undefined): unknown {
  if (!(error instanceof AppError) || !Array.isArray(error.data?.issues)) return error
  const issues = (error.data.issues as Issue[]).map((issue) => {
    const [list = '', index] = issue.path.split('.')
    if (index === undefined) return issue
    const field = fieldOf?.(Number(index))
    return { path: field ?? list, message: toPageMessage(issue, field === undefined ? 'line' : null) }
  })
  return invalidFields(issues, { kind: error.kind })
}
