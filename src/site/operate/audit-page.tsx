import type { ActSubject, OperatorAct } from '../../domain/operator-acts.ts'
import type { Act } from '../../features/audit/model.ts'
import type { Paged } from '../../lib/paging.ts'
import { Empty, Pager } from '../components/lists.tsx'
import { Moment } from '../kit/labels.tsx'
import type { PageState } from '../kit/pages.ts'
import { OperateFrame } from './operate-frame.tsx'

const ACT_LABELS: Readonly<Record<OperatorAct, string>> = {
  take_down: 'took down',
  restore_listing: 'restored',
  rescan_file: 'asked for a rescan of',
  suspend_account: 'suspended',
  restore_account: 'ended the suspension of',
  set_storage_limit: 'changed the storage limit of',
  reset_factors: 'reset the sign-in factors of',
  clear_profile: 'cleared the profile of',
  dismiss_look_alike: 'accepted the name of',
  dismiss_report: 'dismissed a report of',
  resolve_report: 'resolved a report of',
  retry_job: 'tried again the job',
  rebuild_search: 'rebuilt the',
  add_operator: 'made an operator of',
  remove_operator: 'removed as operator',
  change_settings: 'changed',
  approve_publication: 'approved the publication of',
  decline_publication: 'declined the publication of',
  make_invitations: 'made the invitations',
  revoke_invitation: 'deleted the invitation',
  add_account: 'invited',
  refund_order: 'refunded an order of',
  create_collection: 'created the collection',
  change_collection: 'changed the collection',
  delete_collection: 'deleted the collection',
  take_down_post: 'took down the post',
  restore_post: 'restored the post',
  create_jam: 'made the jam',
  change_jam: 'changed the jam',
  delete_jam: 'deleted the jam',
}

const SUBJECT_PATHS: Partial<Record<ActSubject, (id: string) => string>> = {
  listing: (id) => `/operate/listings/${id}`,
  file: (id) => `/operate/listings?q=${id}`,
  account: (id) => `/operate/accounts?q=${id}`,
  order: (id) => `/operate/sales?q=${id}`,
  collection: (id) => `/operate/collections/${id}`,
  post: (id) => `/operate/posts/${id}`,
  jam: (id) => `/jams/${id}`,
}

export function AuditPage({ state, acts }: { state: PageState; acts: Paged<Act> }) {
  return (
    <OperateFrame state={state} tab="/operate/audit">
      <p class="quiet">
        Everything operators did, and what hosts did with their jams, newest first. Nobody can change or
        delete an entry.
      </p>
      {acts.items.length === 0 ? (
        <Empty title="Nothing was done yet">Every act on the other tabs is written here.</Empty>
      ) : (
        <ul class="records panel">
          {acts.items.map(({ uid, at, operator, act, subject, reason }) => (
            <li key={uid}>
              <div>
                <strong>{operator.username}</strong> {ACT_LABELS[act]} <Subject subject={subject} />
                {reason === null ? null : (
                  <p class="evidence small" dir="auto">
                    {reason}
                  </p>
                )}
              </div>
              <span class="quiet small">
                <Moment at={at} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <Pager {...acts} url={state.visit.url} />
    </OperateFrame>
  )
}

function Subject({ subject: { kind, id, name } }: { subject: Act['subject'] }) {
  const path = SUBJECT_PATHS[kind]
  return path && id !== null ? (
    <a href={path(id)} dir="auto">
      {name}
    </a>
  ) : (
    <strong dir="auto">{name}</strong>
  )
}
