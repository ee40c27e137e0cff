import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { AppError, invalidFields, type Issue, nulRefused } from '../../errors.ts'
import { listIssues } from '../../http/input/issues.ts'
import { nulFieldsOf } from '../../http/input/nul-fields.ts'
import { sayOnPage } from './field-words.ts'

/** A submitted form and its faults. */
export interface FormState {
  values: Readonly<Record<string, string>>
  faults: readonly Issue[]
}

/** Checks a form against the schema of the API's body; returns null when it is valid. */
export function findFaults<Schema extends TSchema>(
  schema: Schema,
  input: Static<Schema>,
  form = new URLSearchParams(),
): Issue[] | null {
  const issues = [...listNuls(form), ...listIssues(Value.Errors(schema, input))]
  const faults = new Map(issues.map((issue) => [issue.path, { ...issue, message: sayOnPage(issue) }]))
  return faults.size === 0 ? null : [...faults.values()]
}

/** No text can be stored with a NUL character. */
function listNuls(form: URLSearchParams): Issue[] {
  const { message } = nulRefused()
  return nulFieldsOf(form).map((path) => ({ path, message }))
}

export function refuseNuls(form: URLSearchParams): void {
  const nuls = listNuls(form)
  if (nuls.length > 0) throw invalidFields(nuls)
}

/** Throws the faults of a form, for `attempt` to show. */
export function checkForm<Schema extends TSchema>(schema: Schema, input: Static<Schema>): void {
  const issues = listIssues(Value.Errors(schema, input))
  if (issues.length > 0) throw invalidFields(issues)
}

/** Shows a service's error at a field of the form; rethrows any other error. */
export function faultAt(path: string, error: unknown): Issue[] {
  if (!(error instanceof AppError) || ![400, 403, 422].includes(error.status)) throw error
  const { issues = [] }: { issues?: readonly Issue[] } = error.data ?? {}
  return [{ path, message: issues[0] ? sayOnPage(issues[0]) : error.message }]
}
