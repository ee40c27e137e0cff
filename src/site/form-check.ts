import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { AppError, invalidFields, type Issue } from '../errors.ts'
import { listIssues } from '../http/issues.ts'
import { sayOnPage } from './field-words.ts'

/** A submitted form and its faults. */
export interface FormState {
  values: Readonly<Record<string, string>>
  faults: readonly Issue[]
}

/** Checks a form against the schema of the API's body; returns null when it is valid. */
export function findFaults<Schema extends TSchema>(schema: Schema, input: Static<Schema>): Issue[] | null {
  const issues = listIssues(Value.Errors(schema, input))
  return issues.length === 0 ? null : issues.map((issue) => ({ ...issue, message: sayOnPage(issue) }))
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
