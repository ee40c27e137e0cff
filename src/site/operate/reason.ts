import { ReasonInput } from '../../features/operate/model.ts'
import { checkForm } from '../kit/form-check.ts'
import { textOf } from '../kit/form-state.ts'

/** The reason of an act, by the rules of the API. */
export function readReason(form: URLSearchParams): string {
  const reason = textOf(form, 'reason')
  checkForm(ReasonInput, { reason })
  return reason.trim()
}
