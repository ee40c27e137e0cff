import type { ComponentChildren } from 'preact'

import type { Deps } from '../../deps.ts'
import type { WebsiteUser } from '../../domain/actor.ts'
import { AppError, invalidFields, type Issue } from '../../errors.ts'
import { countLookAlikes } from '../../features/operate/look-alikes/service.ts'
import { REASON_MAX, ReasonInput } from '../../features/operate/model.ts'
import { countOpenReports, countWaiting } from '../../features/operate/moderation/service.ts'
import { EMPTY_FORM, readForm } from '../kit/form-state.ts'
import { AreaField, PostForm, Submit } from '../kit/form.tsx'
import { type Act, ownPages, type PageState, type ShowPage } from '../kit/pages.ts'
import { OperateFrame } from './operate-frame.tsx'

export type OperatorPage = ShowPage<WebsiteUser>
export type OperatorAct = Act<WebsiteUser>

/** The options of routes by which operators change something. */
export const operatorAct = () => ({ operatorPage: true, limit: 'operator' }) as const

/** Pages of the operators. Each loads the numbers of pending items for its tabs. */
export function operatorPages({ db }: Deps) {
  const counting =
    (showPage: OperatorPage): OperatorPage =>
    async (operator, context) => {
      const [queue, reports, names] = await Promise.all([
        countWaiting(db),
        countOpenReports(db),
        countLookAlikes(db),
      ])
      const tabCounts = { '/operate/queue': queue, '/operate/reports': reports + names }
      return await showPage(operator, { ...context, tabCounts })
    }
  return {
    view: (showPage: OperatorPage) => ownPages.view(counting(showPage)),
    submit: (name: string, act: OperatorAct, showPage: OperatorPage) =>
      ownPages.submit(name, act, counting(showPage)),
  }
}

/** The reason of an act, by the rules of the API. */
export function parseReason(form: URLSearchParams): string {
  return readForm(ReasonInput, form).reason.trim()
}

/** Returns the error with its issues changed by `move`, usually to the fields of the form. */
export function moveIssues(error: unknown, move: (issue: Issue) => Issue): unknown {
  const issues: unknown = error instanceof AppError ? error.data?.issues : undefined
  if (!(error instanceof AppError) || !Array.isArray(issues)) return error
  return invalidFields((issues as Issue[]).map(move), { kind: error.kind })
}

interface ConfirmPageProps {
  state: PageState
  tab: '/operate/listings' | '/operate/accounts' | '/operate/queue'
  title: string
  /** The text of the button. */
  act: string
  action: string
  /** Where the link to cancel leads. */
  back: string
  /** Explains what will happen. */
  children: ComponentChildren
}

/** Asks for the reason of an act; the person concerned gets to read it. */
export function ConfirmPage({ state, tab, title, act, action, back, children }: ConfirmPageProps) {
  return (
    <OperateFrame {...{ state, tab, title }}>
      <div class="prose">{children}</div>
      <PostForm action={action}>
        <AreaField
          {...{ form: state.refused?.form ?? EMPTY_FORM, name: 'reason', label: 'Reason' }}
          hint="It is mailed to the person it concerns, and written to the audit log."
          maxLength={REASON_MAX}
          required
        />
        <p class="row">
          <Submit look="danger">{act}</Submit>
          <a class="button second" href={back}>
            Cancel
          </a>
        </p>
      </PostForm>
    </OperateFrame>
  )
}
