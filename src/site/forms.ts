import { AppError } from '../errors.ts'

export interface Fault {
  /** The field's name; empty where it is about the whole form. */
  field: string
  message: string
}

/** A form as it was sent, and what was wrong with it. */
export interface FormState {
  values: URLSearchParams
  faults: readonly Fault[]
}

export const EMPTY_FORM: FormState = { values: new URLSearchParams(), faults: [] }

export interface Refused {
  form: FormState
  status: number
}

/** Does what a form asks; null when it is done. What the form is not to blame for is thrown on, for a page of its own. */
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

/** A missing session has a page of its own; a refusal with fields never does. */
function isFormFault(error: AppError): boolean {
  return error.data?.issues !== undefined || [400, 409, 422].includes(error.status)
}

function readFaults({ data, message }: AppError): Fault[] {
  const issues = Array.isArray(data?.issues) ? (data.issues as { path: string; message: string }[]) : []
  if (issues.length === 0) return [{ field: '', message }]
  return issues.map((issue) => ({ field: issue.path, message: issue.message }))
}

/** One text field; nothing was sent and an empty text are the same. */
export function textOf(form: URLSearchParams, name: string): string {
  return form.get(name) ?? ''
}
