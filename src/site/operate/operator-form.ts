import type { WebsiteUser } from '../../domain/actor.ts'
import { ReasonInput } from '../../features/operate/model.ts'
import type { Operate } from '../../features/operate/operate.ts'
import { countWaiting } from '../../features/operate/publications/service.ts'
import { countOpenReports } from '../../features/operate/reports/service.ts'
import { checkForm, textOf } from '../kit/form-state.ts'
import { type Act, ownPages, type ShowPage } from '../kit/pages.ts'

export type OperatorPage = ShowPage<WebsiteUser>
export type OperatorAct = Act<WebsiteUser>

/** The options of a route by which operators change something. */
export const operatorAct = () => ({ operatorPage: true, limit: 'operator' }) as const

/** Pages of the operators. Every one says how much waits for them behind its tabs. */
export function operatorPages({ deps: { db } }: Operate) {
  const counting =
    (showPage: OperatorPage): OperatorPage =>
    async (operator, context) => {
      const [queue, reports] = await Promise.all([countWaiting(db), countOpenReports(db)])
      const tabCounts = { '/operate/queue': queue, '/operate/reports': reports }
      return await showPage(operator, { ...context, tabCounts })
    }
  return {
    view: (showPage: OperatorPage) => ownPages.view(counting(showPage)),
    submit: (name: string, act: OperatorAct, showPage: OperatorPage) =>
      ownPages.submit(name, act, counting(showPage)),
  }
}

/** The reason of an act, by the rules of the API. */
export function readReason(form: URLSearchParams): string {
  const reason = textOf(form, 'reason')
  checkForm(ReasonInput, { reason })
  return reason.trim()
}
