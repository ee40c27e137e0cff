import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { type Approval, decideApproval } from '../../../features/agents/approvals.ts'
import { arrivalOf } from '../../../http/server/request-facts.ts'
import { Prose } from '../../components/prose.tsx'
import { PostForm } from '../../kit/form.tsx'
import { changes, type Project, type TabAct, tabPath } from '../frame/studio-frame.tsx'

interface ApprovalsProps {
  project: Project
  /** The tab under whose path the decision is posted. */
  tab: string
  approvals: readonly Approval[]
}

/** Requests of programs for acts that only the owner may approve. */
export function Approvals({ project, tab, approvals }: ApprovalsProps) {
  const { vanity_name, role } = project.listing
  if (approvals.length === 0) return null
  return (
    <section class="panel stack" aria-labelledby="approvals-heading">
      <h2 id="approvals-heading">Waiting for approval</h2>
      <ul class="records">
        {approvals.map((approval) => (
          <li key={approval.uid}>
            <Request approval={approval} />
            {role === 'owner' ? (
              <PostForm action={`/studio/${vanity_name}/${tab}/approvals/${approval.uid}`} class="row">
                <DecisionButton approval={approval} value="approve" label="Approve" />
                <DecisionButton approval={approval} value="reject" label="Reject" />
              </PostForm>
            ) : (
              <p class="quiet small">Only the owner can approve it.</p>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Request({ approval: { build, post, entry, webhookUrls, askedBy } }: { approval: Approval }) {
  if (entry) {
    return (
      <div>
        <p>
          Enter it into <strong dir="auto">{entry.jam}</strong>
        </p>
        {entry.note === '' ? null : <p dir="auto">{entry.note}</p>}
        <p class="quiet small">{askedBy} asked for it. It has to be approved before the jam ends.</p>
      </div>
    )
  }
  if (post) {
    return (
      <div>
        <p>
          Publish <strong dir="auto">{post.title}</strong>
        </p>
        <Prose html={post.html} under={3} class="small" />
        <p class="quiet small">{askedBy} asked for it.</p>
      </div>
    )
  }
  if (build) {
    return (
      <div>
        <p>
          <strong>{build.version}</strong> for {build.platform} to stable
        </p>
        <p class="quiet small">
          {askedBy} asked for it, for the app {build.app}.
        </p>
      </div>
    )
  }
  return (
    <div>
      <p>Webhooks to:</p>
      <ul>
        {webhookUrls.map((url) => (
          <li key={url}>
            <span class="long-value">{url}</span>
          </li>
        ))}
      </ul>
      <p class="quiet small">{askedBy} asked for it.</p>
    </div>
  )
}

interface DecisionButtonProps {
  approval: Approval
  value: 'approve' | 'reject'
  label: string
}

function DecisionButton({ approval: { build, post, entry }, value, label }: DecisionButtonProps) {
  const subject =
    post?.title ?? entry?.jam ?? (build ? `${build.version} for ${build.platform}` : 'the webhooks')
  return (
    <button
      type="submit"
      class={value === 'approve' ? 'button' : 'button second'}
      name="decision"
      value={value}
      aria-label={`${label} ${subject}`}
    >
      {label}
    </button>
  )
}

/** The options of its route. Needs a second factor on every tab, because an approval can release a build. */
export const decides = () =>
  ({ ...changes(), secondFactor: 'always', limit: ['accounts', 'listing_write'] }) as const

/** Handles the owner's decision about a request on the tab that lists it. */
export function decideIn(deps: Deps, tab: string): TabAct {
  return async (project, form, { params, request }) => {
    const decision = form.get('decision')
    if (decision !== 'approve' && decision !== 'reject') {
      throw new AppError('invalid_request', { message: 'Choose to approve or to reject.' })
    }
    const ref = { gameUid: project.listing.uid, uid: params.approval_uid ?? '' }
    await decideApproval(deps, project.user, ref, decision, arrivalOf(request))
    return tabPath(project, tab, decision)
  }
}
