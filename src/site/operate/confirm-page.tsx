import type { ComponentChildren } from 'preact'

import { REASON_MAX } from '../../features/operate/model.ts'
import type { Visit } from '../../http/visit.ts'
import type { FormState } from '../kit/form-state.ts'
import { FaultSummary } from '../kit/form.tsx'
import { OperateFrame } from './operate-frame.tsx'

interface ConfirmPageProps {
  visit: Visit
  tab: '/operate/listings' | '/operate/accounts'
  title: string
  /** The name of the button. */
  act: string
  action: string
  /** Where the link to cancel leads. */
  back: string
  /** What will happen. */
  children: ComponentChildren
  form: FormState
}

/** Asks for a reason before an act that affects other people. */
export function ConfirmPage({ visit, tab, title, act, action, back, children, form }: ConfirmPageProps) {
  const fault = form.faults.find(({ field }) => field === 'reason')
  return (
    <OperateFrame visit={visit} tab={tab} title={title}>
      <FaultSummary form={form} />
      <div class="prose">{children}</div>
      <form class="form" method="post" action={action} noValidate>
        <div class="field">
          <label for="reason">Reason</label>
          <textarea
            class="input"
            id="reason"
            name="reason"
            maxLength={REASON_MAX}
            required
            aria-invalid={fault ? 'true' : undefined}
            aria-describedby={fault ? 'reason-hint reason-fault' : 'reason-hint'}
          >
            {form.values.get('reason') ?? ''}
          </textarea>
          {fault ? (
            <p class="fault" id="reason-fault">
              {fault.message}
            </p>
          ) : null}
          <p class="hint" id="reason-hint">
            It is mailed to the person it concerns, and written to the audit log.
          </p>
        </div>
        <p class="row">
          <button class="button danger" type="submit">
            {act}
          </button>
          <a class="button second" href={back}>
            Cancel
          </a>
        </p>
      </form>
    </OperateFrame>
  )
}
