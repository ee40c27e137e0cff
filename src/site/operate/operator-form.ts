import type { WebsiteUser } from '../../domain/actor.ts'
import { ReasonInput } from '../../features/operate/model.ts'
import { checkForm, textOf } from '../kit/form-state.ts'
import type { Act, ShowPage } from '../kit/pages.ts'

export type OperatorPage = ShowPage<WebsiteUser>
export type OperatorAct = Act<WebsiteUser>

/** The options of a route by which operators change something. */
export const OPERATOR_ACT = { operatorPage: true, limit: 'operator' } as const

/** The reason of an act, by the rules of the API. */
export function readReason(form: URLSearchParams): string {
  const reason = textOf(form, 'reason')
  checkForm(ReasonInput, { reason })
  return reason.trim()
}
