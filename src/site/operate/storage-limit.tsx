import type { OperatorAccount } from '../../features/operate/accounts/model.ts'
import { REASON_MAX } from '../../features/operate/model.ts'
import type { StorageUse } from '../../features/storage/quota.ts'
import { TextField } from '../kit/controls.tsx'
import { PostForm, Submit } from '../kit/form.tsx'
import { bytesText } from '../kit/labels.ts'
import { formOf, type PageState } from '../kit/pages.ts'
import { OperateFrame } from './operate-frame.tsx'

interface StorageLimitProps {
  state: PageState
  account: OperatorAccount
  use: StorageUse
  /** The limit of every account. */
  standard: number
}

export function StorageLimitPage({ state, account, use, standard }: StorageLimitProps) {
  const { uid, username, storage_limit } = account
  const form = formOf(state, 'storage')
  const current = storage_limit === null ? '' : bytesText(storage_limit)
  return (
    <OperateFrame state={state} tab="/operate/accounts" title={`Storage of ${username}`}>
      <p>
        The listings of <strong>{username}</strong> use {bytesText(use.used)} of {bytesText(use.limit)}.
      </p>
      <PostForm action={`/operate/accounts/${uid}/storage`}>
        <TextField
          {...{ form, name: 'limit', label: 'Limit', value: current }}
          hint={`For example 200 GB. Empty: the limit of every account, ${bytesText(standard)}.`}
        />
        <TextField
          {...{ form, name: 'reason', label: 'Reason (optional)', maxLength: REASON_MAX }}
          hint="It is written to the audit log."
        />
        <p class="row">
          <Submit>Save limit</Submit>
          <a class="button second" href={`/operate/accounts?q=${uid}`}>
            Cancel
          </a>
        </p>
      </PostForm>
    </OperateFrame>
  )
}
