import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { ERRORS } from '../../error-table.ts'
import { type AppError, invalidFields, type Issue, nulRefused } from '../../errors.ts'
import { nulFieldsOf } from '../../http/input/body.ts'
import { listIssues } from '../../http/input/issues.ts'
import { toAppError } from '../../http/output/to-app-error.ts'
import { capitalize, toFormMessage } from './field-words.ts'

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
