import type { Visit } from '../../../http/visit.ts'
import { FaultSummary, PostForm } from '../../components/form.tsx'
import { Notice } from '../../components/notice.tsx'
import type { FormState } from '../../forms.ts'
import { Layout } from '../../layout.tsx'
import { SmallPage } from './sign-in.tsx'

export interface AskedApproval {
  listing: string
  app: string
  version: string
  title: string
  platform: string
  askedBy: string
}

/** Opening the page changes nothing, because mail programs open links on their own. */
interface ApprovalPageProps {
  visit: Visit
  token: string
  asked: AskedApproval
  form: FormState
}

export function ApprovalPage({ visit, token, asked, form }: ApprovalPageProps) {
  const { listing, app, version, title, platform, askedBy } = asked
  const question = `Release version ${version} of “${listing}”?`
  return (
    <SmallPage visit={visit} title={question}>
      <div class="stack">
        <FaultSummary form={form} />
        <p>A program ({askedBy}) asks to make this the stable build, which every player gets:</p>
        <ul>
          <li>
            Version {version}
            {title === '' ? '' : `, “${title}”`}
          </li>
          <li>For {platform}</li>
          <li>App: {app}</li>
        </ul>
        <PostForm action={`/approvals/${token}`}>
          <div class="row">
            <button class="button" type="submit" name="decision" value="approve">
              Approve
            </button>
            <button class="button second" type="submit" name="decision" value="reject">
              Reject
            </button>
          </div>
        </PostForm>
      </div>
    </SmallPage>
  )
}

export function DecidedPage({ visit, decision }: { visit: Visit; decision: 'approve' | 'reject' }) {
  const isApproved = decision === 'approve'
  return (
    <SmallPage visit={visit} title={isApproved ? 'Released' : 'Not released'}>
      <Notice tone={isApproved ? 'good' : 'info'}>
        {isApproved ? 'Approved: players get this build now.' : 'Rejected. Players keep the build they have.'}
      </Notice>
    </SmallPage>
  )
}

export function NoApprovalPage({ visit }: { visit: Visit }) {
  return (
    <Layout visit={visit} title="This link no longer works">
      <div class="empty">
        <h1>This link no longer works</h1>
        <p>It was used before, it is too old, or the build it was about is gone.</p>
      </div>
    </Layout>
  )
}
