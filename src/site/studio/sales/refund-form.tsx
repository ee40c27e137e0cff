import { REASON_MAX } from '../../../features/selling/refunds/model.ts'
import type { SoldOrder } from '../../../features/selling/sales/service.ts'
import { AreaField, TextField } from '../../kit/controls.tsx'
import { EMPTY_FORM, type FormState } from '../../kit/form-state.ts'
import { PostForm, Submit } from '../../kit/form.tsx'
import { dollars } from './sales-parts.tsx'

interface RefundFormProps {
  order: SoldOrder
  action: string
  /** The form of any order that was rejected. */
  form: FormState
}

/** Gives an order back, in part or whole. */
export function RefundForm({ order, action, form: sent }: RefundFormProps) {
  const { uid, amountCents, refundedCents, title, buyer } = order
  if (order.status !== 'paid') return null
  const isRefused = sent.values.get('order_uid') === uid
  const form = isRefused ? sent : EMPTY_FORM
  const scope = isRefused ? 'refund' : `refund-${uid}`
  return (
    <details class="edit" open={isRefused}>
      <summary>
        Refund
        <span class="visually-hidden">
          {' '}
          {title} of {buyer ?? 'a deleted account'}
        </span>
      </summary>
      <PostForm action={action}>
        <input type="hidden" name="order_uid" value={uid} />
        <TextField
          {...{ form, scope, name: 'amount_cents', label: 'Amount in dollars' }}
          inputMode="decimal"
          hint={`Empty gives back everything that is left: ${dollars(amountCents - refundedCents)}.`}
        />
        <AreaField
          {...{ form, scope, name: 'reason', label: 'Reason', rows: 2, maxLength: REASON_MAX }}
          hint="Kept with the order."
          required
        />
        <Submit look="danger">Give the money back</Submit>
      </PostForm>
    </details>
  )
}
