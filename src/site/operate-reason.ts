import { invalidFields } from '../errors.ts'
import { ReasonInput } from '../features/operate/model.ts'
import { findFaults } from './form-check.ts'
import { textOf } from './forms.ts'

/** The reason of an act, by the rules of the API. */
export function readReason(form: URLSearchParams): string {
  const reason = textOf(form, 'reason')
  const faults = findFaults(ReasonInput, { reason })
  if (faults) throw invalidFields(faults)
  return reason.trim()
}
