import type { Visit } from '../../../http/visit.ts'
import { Layout } from '../../layout.tsx'

export interface AskedApproval {
  listing: string
  app: string
  version: string
  title: string
  platform: string
  askedBy: string
}

/** Opening it changes nothing: mail programs open links on their own. */
export function ApprovalPage({ visit, asked }: { visit: Visit; asked: AskedApproval }) {
  const { listing, app, version, title, platform, askedBy } = asked
  const question = `Release version ${version} of “${listing}”?`
  return (
    <Layout visit={visit} title={question} scripts={['forms']}>
      <div class="panel form">
        <h1>{question}</h1>
        <p>A program that acts for {askedBy} asks to make this the stable build, which every player gets:</p>
        <ul>
          <li>
            Version {version}
            {title === '' ? '' : `, “${title}”`}
          </li>
          <li>For {platform}</li>
          <li>App: {app}</li>
        </ul>
        <form id="approval">
          <div class="row">
            <button class="button" type="submit" value="approve">
              Approve
            </button>
            <button class="button second" type="submit" value="reject">
              Reject
            </button>
          </div>
          <p role="alert" />
        </form>
      </div>
    </Layout>
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
