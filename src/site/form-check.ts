import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { AppError, invalidFields, type Issue } from '../errors.ts'
import { listIssues } from '../http/issues.ts'

/** A submitted form and its faults. */
export interface FormState {
  values: Readonly<Record<string, string>>
  faults: readonly Issue[]
}

/** Checks a form against the schema of the API's body; returns null when it is valid. */
export function findFaults<Schema extends TSchema>(schema: Schema, input: Static<Schema>): Issue[] | null {
  const faults = new Map(listIssues(Value.Errors(schema, input)).map((issue) => [issue.path, issue]))
  return faults.size === 0 ? null : [...faults.values()]
}

/** Throws the faults of a form, for `attempt` to show. */
export function checkForm<Schema extends TSchema>(schema: Schema, input: Static<Schema>): void {
  const faults = findFaults(schema, input)
  if (faults) throw invalidFields(faults)
}

/** Shows a service's error at a field of the form; rethrows any other error. */
export function faultAt(path: string, error: unknown): Issue[] {
  if (!(error instanceof AppError) || ![400, 403, 422].includes(error.status)) throw error
  return [{ path, message: error.message }]
}
