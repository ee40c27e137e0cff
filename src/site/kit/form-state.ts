import { ERRORS } from '../../error-table.ts'
import { AppError, type Issue } from '../../errors.ts'
import { sayOnPage } from './field-words.ts'
import { refuseNuls } from './form-check.ts'

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

export interface Refused {
  form: FormState
  status: number
}

/** A missing session has its own page. */
const SHOWN_AT_FORM: readonly number[] = [400, 409, 422, 429]

/**
 * Runs the action of a form; returns null on success. Errors that the form did not cause are rethrown and get
 * an error page.
 */
export async function attempt(
  values: URLSearchParams,
  work: () => Promise<unknown>,
  shown: readonly number[] = SHOWN_AT_FORM,
): Promise<Refused | null> {
  try {
    refuseNuls(values)
    await work()
    return null
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    // An error with fields is always shown at the form.
    if (error.data?.issues === undefined && !shown.includes(error.status)) throw error
    return { form: { values, faults: readFaults(error, values) }, status: error.status }
  }
}

interface FaultData {
  issues?: readonly Issue[]
  /** The report of the listing check. */
  lint?: { errors: readonly Fault[] }
  field?: string
}

/** Somebody else removed it while the form was open. */
const [, , UNSAID] = ERRORS.not_found
const GONE = 'It is no longer there. Somebody else may have removed it.'

/** Reads which fields an error is about. */
function readFaults({ data = {}, message }: AppError, values: URLSearchParams): Fault[] {
  const { issues = [], lint, field = '' }: FaultData = data
  if (lint) return lint.errors.map((found) => ({ field: found.field, message: found.message }))
  if (issues.length === 0) return [{ field, message: message === UNSAID ? GONE : message }]
  return issues.map((issue) => ({ field: fieldOf(issue.path, values), message: sayOnPage(issue) }))
}

/** Most lists are one field of the form, which has the faults of all entries. */
function fieldOf(path: string, values: URLSearchParams): string {
  return values.has(path) ? path : path.replace(/\.\d+(?:\..*)?$/, '')
}

/** Reads a text field; missing and empty are the same. */
export function textOf(form: URLSearchParams, name: string): string {
  return form.get(name) ?? ''
}
