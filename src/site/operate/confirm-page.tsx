import type { ComponentChildren } from 'preact'

import { REASON_MAX } from '../../features/operate/model.ts'
import { AreaField } from '../kit/controls.tsx'
import { EMPTY_FORM } from '../kit/form-state.ts'
import { PostForm, Submit } from '../kit/form.tsx'
import type { PageState } from '../kit/pages.ts'
import { OperateFrame } from './operate-frame.tsx'

interface ConfirmPageProps {
  state: PageState
  tab: '/operate/listings' | '/operate/accounts' | '/operate/queue'
  title: string
  /** The name of the button. */
  act: string
  action: string
  /** Where the link to cancel leads. */
  back: string
  /** What will happen. */
  children: ComponentChildren
}

/** Asks for the reason of an act, which the person it concerns reads. */
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
