import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { AppError, type Issue } from '../errors.ts'
import { listIssues } from '../http/issues.ts'

/** A form as it was sent and what is wrong with it. */
export interface FormState {
  values: Readonly<Record<string, string>>
  faults: readonly Issue[]
}

/** Holds a form against the schema of the API's body; null when it fits. */
export function findFaults<Schema extends TSchema>(schema: Schema, input: Static<Schema>): Issue[] | null {
  const faults = new Map(listIssues(Value.Errors(schema, input)).map((issue) => [issue.path, issue]))
  return faults.size === 0 ? null : [...faults.values()]
}

/** What a service refused, shown at a field of the form. Anything but a refusal is thrown on. */
export function faultAt(path: string, error: unknown): Issue[] {
  if (!(error instanceof AppError) || ![400, 403, 422].includes(error.status)) throw error
  return [{ path, message: error.message }]
}
