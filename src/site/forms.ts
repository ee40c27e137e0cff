import { AppError } from '../errors.ts'

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

/**
 * Runs the action of a form; returns null on success. Errors that the form did not cause are rethrown and get
 * an error page.
 */
export async function attempt(
  values: URLSearchParams,
  work: () => Promise<unknown>,
): Promise<Refused | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (!(error instanceof AppError) || !isFormFault(error)) throw error
    return { form: { values, faults: readFaults(error) }, status: error.status }
  }
}

/** A missing session has its own page; an error with fields is always shown at the form. */
function isFormFault(error: AppError): boolean {
  return error.data?.issues !== undefined || [400, 409, 422].includes(error.status)
}

function readFaults({ data, message }: AppError): Fault[] {
  const issues = Array.isArray(data?.issues) ? (data.issues as { path: string; message: string }[]) : []
  if (issues.length === 0) return [{ field: '', message }]
  return issues.map((issue) => ({ field: issue.path, message: issue.message }))
}

/** Reads a text field; missing and empty are the same. */
export function textOf(form: URLSearchParams, name: string): string {
  return form.get(name) ?? ''
}
