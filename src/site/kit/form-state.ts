import { type Static, type TObject, type TSchema, TypeGuard } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { ERRORS } from '../../error-table.ts'
import { AppError, invalidField, invalidFields, type Issue, nulRefused } from '../../errors.ts'
import { nulFieldsOf } from '../../http/input/body.ts'
import { listIssues } from '../../http/input/issues.ts'
import { toAppError } from '../../http/output/to-app-error.ts'
import { capitalize, toFormMessage, toPageMessage } from './field-words.ts'

export interface Fault {
  /** The field's name; empty for a fault of the whole form. */
  field: string
  message: string
}

/** A submitted form and its faults. */
export interface FormState {
  values: URLSearchParams
  faults: readonly Fault[]
}

export const EMPTY_FORM: FormState = { values: new URLSearchParams(), faults: [] }

/** A form that was rejected, to be shown again. */
export interface Refused {
  name: string
  form: FormState
  status: number
}

/** Statuses that are shown at the form. 401 is not among them: a missing session gets a page of its own. */
const SHOWN_AT_FORM = new Set([400, 403, 404, 409, 412, 413, 415, 422, 429, 502, 507])

/** Errors that redirect to a page of their own; see `showError`. */
const PROOFS = new Set<string>(['confirmation_needed', 'second_factor_needed'])

/** What to show at the form. Errors that the form did not cause are rethrown and get an error page. */
export function toRefusal(
  name: string,
  thrown: unknown,
  values: URLSearchParams,
  externalStore = 'the external store',
): Refused {
  const error = toAppError(thrown, 'UNKNOWN')
  // An error with fields is always shown at the form.
  const isOfForm = error.data?.issues !== undefined || SHOWN_AT_FORM.has(error.status)
  if (!isOfForm || PROOFS.has(error.kind)) throw thrown
  const faults = toFaults(error, values).map(({ field, message }) => ({
    field,
    message: message.replaceAll(/\bthe external store\b/gi, (words) =>
      words.startsWith('T') ? capitalize(externalStore) : externalStore,
    ),
  }))
  return { name, form: { values, faults }, status: error.status }
}

interface FaultData {
  issues?: readonly Issue[]
  /** The report of the listing check. */
  lint?: { errors: readonly Fault[] }
  field?: string
}

/** For a form about something that was removed while it was open; replaces the general message. */
const [, , UNSAID] = ERRORS.not_found
const GONE = 'It is no longer there. Somebody else may have removed it.'

/** The faults of an error, each with its field. */
function toFaults({ data = {}, message }: AppError, values: URLSearchParams): Fault[] {
  const { issues = [], lint, field = '' }: FaultData = data
  if (lint) return lint.errors.map((found) => ({ field: found.field, message: found.message }))
  if (issues.length === 0) return [{ field, message: message === UNSAID ? GONE : message }]
  return issues.map((issue) => ({
    field: fieldOf(issue.path, values),
    message: toFormMessage(issue, values),
  }))
}

/** Faults of list entries belong to the field of the whole list, unless each entry has its own field. */
function fieldOf(path: string, values: URLSearchParams): string {
  return values.has(path) ? path : path.replace(/\.\d+(?:\..*)?$/, '')
}

/** Checks the form by the schema of the API's body; throws all faults. */
export function checkForm<Schema extends TSchema>(schema: Schema, input: Static<Schema>): void {
  const issues = listIssues(Value.Errors(schema, input))
  if (issues.length > 0) throw invalidFields(issues)
}

/** Postgres cannot store NUL characters. */
export function refuseNuls(form: URLSearchParams): void {
  const { message } = nulRefused()
  const nuls = nulFieldsOf(form).map((path) => ({ path, message }))
  if (nuls.length > 0) throw invalidFields(nuls)
}

/** Reads a text field; missing and empty are the same. */
export function textOf(form: URLSearchParams, name: string): string {
  return form.get(name) ?? ''
}

/** Amounts are typed in dollars and stored in cents; nothing is 0. */
export function parseCents(form: URLSearchParams, name: string): number {
  const text = textOf(form, name).trim().replace(/^\$/, '')
  const [, dollars = '', cents = ''] = /^(\d{1,6})(?:[.,](\d{1,2}))?$/.exec(text || '0') ?? []
  if (dollars === '')
    throw invalidFields([{ path: name, message: 'Type the price in dollars, such as 4.99.' }])
  return Number(dollars) * 100 + Number(cents.padEnd(2, '0'))
}

/** The amount as a form shows it: empty for 0. */
export function dollarsOf(cents: number): string {
  return cents === 0 ? '' : (cents / 100).toFixed(2)
}

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
