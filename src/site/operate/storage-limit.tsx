import type { OperatorAccount } from '../../features/operate/accounts/model.ts'
import { REASON_MAX } from '../../features/operate/model.ts'
import type { StorageUse } from '../../features/storage/quota.ts'
import type { Visit } from '../../http/visit.ts'
import type { FormState } from '../kit/form-state.ts'
import { FaultSummary } from '../kit/form.tsx'
import { bytesText } from '../kit/labels.ts'
import { OperateFrame } from './operate-frame.tsx'

interface StorageLimitProps {
  visit: Visit
  account: OperatorAccount
  use: StorageUse
  /** The limit of every account. */
  standard: number
  form: FormState
}

export function StorageLimitPage({ visit, account, use, standard, form }: StorageLimitProps) {
  const { uid, username, storage_limit } = account
  const fault = form.faults.find(({ field }) => field === 'limit')
  const current = storage_limit === null ? '' : bytesText(storage_limit)
  return (
    <OperateFrame visit={visit} tab="/operate/accounts" title={`Storage of ${username}`}>
      <FaultSummary form={form} />
      <p>
        The listings of <strong>{username}</strong> use {bytesText(use.used)} of {bytesText(use.limit)}.
      </p>
      <form class="form" method="post" action={`/operate/accounts/${uid}/storage`} noValidate>
        <div class="field">
          <label for="limit">Limit</label>
          <input
            class="input"
            id="limit"
            name="limit"
            value={form.values.get('limit') ?? current}
            aria-invalid={fault ? 'true' : undefined}
            aria-describedby={fault ? 'limit-hint limit-fault' : 'limit-hint'}
          />
          {fault ? (
            <p class="fault" id="limit-fault">
              {fault.message}
            </p>
          ) : null}
          <p class="hint" id="limit-hint">
            For example 200 GB. Empty: the limit of every account, {bytesText(standard)}.
          </p>
        </div>
        <div class="field">
          <label for="reason">Reason (optional)</label>
          <input
            class="input"
            id="reason"
            name="reason"
            maxLength={REASON_MAX}
            value={form.values.get('reason') ?? ''}
            aria-describedby="reason-hint"
          />
          <p class="hint" id="reason-hint">
            It is written to the audit log.
          </p>
        </div>
        <p class="row">
          <button class="button" type="submit">
            Save limit
          </button>
          <a class="button second" href={`/operate/accounts?q=${uid}`}>
            Cancel
          </a>
        </p>
      </form>
    </OperateFrame>
  )
}
