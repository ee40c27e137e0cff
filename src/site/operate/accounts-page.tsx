import type { OperatorAccount } from '../../features/operate/accounts/model.ts'
import { REASON_MAX } from '../../features/operate/model.ts'
import type { StorageUse } from '../../features/storage/quota.ts'
import type { Visit } from '../../http/visit.ts'
import type { Paged } from '../../lib/paging.ts'
import { Empty, Pager } from '../components/lists.tsx'
import { Person } from '../components/person.tsx'
import { PostForm, Submit, TextField } from '../kit/form.tsx'
import { Badge, bytesText, countText, Moment } from '../kit/labels.tsx'
import { formOf, type PageProps, type PageState } from '../kit/pages.ts'
import { Finder, OperateFrame } from './operate-frame.tsx'

const NOTICES = {
  suspended: 'The account is suspended, and everything that let it in has ended.',
  restored: 'The account can sign in again, and its keys and programs work.',
  factors: 'The sign-in factors are removed, and every browser of the account is signed out.',
  cleared: 'The profile is cleared; the account keeps its username.',
  storage: 'The storage limit of the account is changed.',
}

export function AccountsPage({ state, accounts }: PageProps<{ accounts: Paged<OperatorAccount> }>) {
  const { visit } = state
  return (
    <OperateFrame state={state} tab="/operate/accounts" notices={NOTICES}>
      <Finder
        visit={visit}
        label="Find an account"
        hint="A part of its username, name or e-mail address, or its uid."
        only={{ name: 'suspended', label: 'Only suspended ones' }}
      />
      <p role="status">{countText(accounts.total, 'account')}</p>
      {accounts.items.length === 0 ? (
        <Empty title="Nothing found">
          Try a shorter part of the name, or <a href="/operate/accounts">see all accounts</a>.
        </Empty>
      ) : (
        <ul class="records panel">
          {accounts.items.map((account) => (
            <Account key={account.uid} account={account} isOwn={isOwn(visit, account)} />
          ))}
        </ul>
      )}
      <Pager {...accounts} url={visit.url} />
    </OperateFrame>
  )
}

function isOwn({ actor }: Visit, { uid }: OperatorAccount): boolean {
  return actor.kind === 'user' && actor.userUid === uid
}

function Account({ account, isOwn: isYou }: { account: OperatorAccount; isOwn: boolean }) {
  const {
    uid,
    username,
    display_name,
    name,
    email,
    email_verified,
    operator,
    suspended,
    listings,
    created_at,
  } = account
  return (
    <li>
      <div>
        <strong>
          <Person person={account} withUsername />
        </strong>{' '}
        {name === display_name ? null : <span class="quiet">{name}</span>}{' '}
        {operator ? <Badge tone="fair">operator</Badge> : null}{' '}
        {suspended ? <Badge tone="bad">suspended</Badge> : null}{' '}
        {account.second_factor ? <Badge tone="good">second factor</Badge> : null}
        <p class="small">
          {email} {email_verified ? null : <Badge tone="warn">not confirmed</Badge>}
        </p>
        <p class="quiet small">
          Since <Moment at={created_at} />,{' '}
          {listings === 0 ? (
            'no listings'
          ) : (
            <a href={`/operate/listings?q=${encodeURIComponent(username)}`}>
              {countText(listings, 'listing')}
            </a>
          )}
        </p>
        {suspended ? (
          <p class="small">
            Suspended <Moment at={suspended.at} />
            {suspended.reason === null ? null : (
              <>
                : <bdi>{suspended.reason}</bdi>
              </>
            )}
          </p>
        ) : null}
      </div>
      <div class="row">
        <a class="button second" href={`/operate/accounts/${uid}/storage`}>
          Storage<span class="visually-hidden"> of {username}</span>
        </a>
        {account.has_profile ? (
          <a class="button second" href={`/operate/accounts/${uid}/clear-profile`}>
            Clear profile<span class="visually-hidden"> of {username}</span>
          </a>
        ) : null}
        {isYou || !account.second_factor ? null : (
          <a class="button second" href={`/operate/accounts/${uid}/reset-factors`}>
            Reset sign-in factors<span class="visually-hidden"> of {username}</span>
          </a>
        )}
        {isYou ? <span class="quiet small">your own account</span> : <SuspendAct account={account} />}
      </div>
    </li>
  )
}

function SuspendAct({ account: { uid, username, suspended } }: { account: OperatorAccount }) {
  if (!suspended) {
    return (
      <a class="button danger" href={`/operate/accounts/${uid}/suspend`}>
        Suspend account<span class="visually-hidden"> {username}</span>
      </a>
    )
  }
  return (
    <PostForm action={`/operate/accounts/${uid}/restore`} class="act">
      <Submit look="second">
        Undo suspension<span class="visually-hidden"> of {username}</span>
      </Submit>
    </PostForm>
  )
}

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
