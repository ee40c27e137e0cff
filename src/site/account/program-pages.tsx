import type { ApprovalKind } from '../../domain/reports.ts'
import { jamPath } from '../../domain/site-urls.ts'
import type { Approval } from '../../features/agents/approvals.ts'
import type { Visit } from '../../http/visit.ts'
import { Notice } from '../components/notice.tsx'
import { Prose } from '../components/prose.tsx'
import { PostForm, Submit } from '../kit/form.tsx'
import { Layout } from '../kit/layout.tsx'
import type { PageProps, PageState } from '../kit/pages.ts'
import { SmallPage } from './sign-in-page.tsx'

/** Explains each scope to the person who is asked to grant it. */
export const SCOPE_TEXTS: Readonly<Record<string, string>> = {
  'player:read': 'See what you own and play',
  'player:bugs': 'File bug reports in your name',
  'player:install': 'Install and update what you own',
  'player:library': 'Change what you follow and wish, and mark notices as read',
  'player:saves': 'Read and change the saves of your games',
  'mcp:catalog.read': 'Search the catalog for you and read your projects, drafts too',
  'mcp:builds.read': 'See the builds, channels, symbols and images of your projects',
  'mcp:builds.write': 'Delete builds, symbols and images of your projects, and move their channels',
  'mcp:bugs.read': 'Read the bug reporter settings and tickets of your projects',
  'mcp:bugs.write': 'Change the bug reporter and tickets of your projects, and report bugs in your name',
  'mcp:crash.read': 'Read the crash reports of your projects',
  'mcp:health.read': 'Read the launch health of your projects',
  'mcp:posts': 'Write drafts of posts, and ask you to publish them',
  offline_access: 'Stay connected until you end it',
}

interface ConsentRequest {
  clientName: string
  redirectHost: string
  scopes: readonly string[]
  /** The request, as signed by the library. */
  oauthQuery: string
}

export function ConsentPage({ state, ...request }: ConsentRequest & { state: PageState }) {
  const { clientName, redirectHost, scopes, oauthQuery } = request
  const title = `Allow “${clientName}” to use your account?`
  return (
    <SmallPage state={state} title={title}>
      <div class="stack">
        <p>It asks to:</p>
        <ul>
          {scopes.map((scope) => (
            <li key={scope}>{SCOPE_TEXTS[scope] ?? scope}</li>
          ))}
        </ul>
        <p class="quiet small">
          The name was chosen by the program itself. You will be sent to {redirectHost}.
        </p>
        <PostForm action="/oauth/consent">
          <input type="hidden" name="oauth_query" value={oauthQuery} />
          <div class="row">
            <Submit name="decision" value="accept">
              Allow
            </Submit>
            <Submit look="second" name="decision" value="deny">
              Deny
            </Submit>
          </div>
        </PostForm>
      </div>
    </SmallPage>
  )
}

export function UnknownClientPage({ visit }: { visit: Visit }) {
  return (
    <Layout visit={visit} title="This request cannot be read">
      <div class="empty">
        <h1>This request cannot be read</h1>
        <p>The program that sent you here is not known, or its link is broken. Go back and start again.</p>
      </div>
    </Layout>
  )
}

/** Opening the page decides nothing, because mail programs open links on their own. */
export function ApprovalPage({ state, token, asked }: PageProps<{ token: string; asked: Approval }>) {
  return (
    <SmallPage state={state} title={questionOf(asked)}>
      <div class="stack">
        <Request asked={asked} />
        <PostForm action={`/approvals/${token}`}>
          <div class="row">
            <Submit name="decision" value="approve">
              Approve
            </Submit>
            <Submit look="second" name="decision" value="reject">
              Reject
            </Submit>
          </div>
        </PostForm>
      </div>
    </SmallPage>
  )
}

function questionOf({ listing, build, post, entry }: Approval): string {
  if (entry) return `Enter “${listing}” into ${entry.jam}?`
  if (post) return `Publish a post of “${listing}”?`
  return build
    ? `Release version ${build.version} of “${listing}”?`
    : `Send the bug reports of “${listing}” to these servers?`
}

function Request({ asked: { askedBy, build, post, entry, webhookUrls } }: { asked: Approval }) {
  if (entry) {
    return (
      <>
        <p>
          A program ({askedBy}) asks to enter it into the jam <a href={jamPath(entry.slug)}>{entry.jam}</a>.
          It has to be approved before the jam ends.
        </p>
        {entry.note === '' ? null : (
          <section class="panel" aria-labelledby="note">
            <h2 id="note">The note for voters</h2>
            <p dir="auto">{entry.note}</p>
          </section>
        )}
      </>
    )
  }
  if (post) {
    return (
      <>
        <p>A program ({askedBy}) asks to publish this post, which everyone can read then:</p>
        <section class="panel" aria-labelledby="post">
          <h2 id="post" dir="auto">
            {post.title}
          </h2>
          <Prose html={post.html} under={2} />
        </section>
      </>
    )
  }
  if (build) {
    const { version, title, platform, app } = build
    return (
      <>
        <p>A program ({askedBy}) asks to make this the stable build, which every player gets:</p>
        <ul>
          <li>
            Version {version}
            {title === '' ? '' : `, “${title}”`}
          </li>
          <li>For {platform}</li>
          <li>App: {app}</li>
        </ul>
      </>
    )
  }
  return (
    <>
      <p>
        A program ({askedBy}) asks to set these webhooks. Each new bug report of a player is then sent there:
      </p>
      <ul>
        {webhookUrls.map((url) => (
          <li key={url}>
            <span class="long-value">{url}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

type Decision = 'approve' | 'reject'

const OUTCOMES: Readonly<Record<ApprovalKind, Record<Decision, { title: string; text: string }>>> = {
  promotion: {
    approve: { title: 'Released', text: 'Approved: players get this build now.' },
    reject: { title: 'Not released', text: 'Rejected. Players keep the build they have.' },
  },
  webhooks: {
    approve: { title: 'Webhooks set', text: 'Approved: new bug reports are sent to these servers.' },
    reject: { title: 'Webhooks not set', text: 'Rejected. The webhooks stay as they are.' },
  },
  post: {
    approve: { title: 'Published', text: 'Approved: everyone can read the post now.' },
    reject: { title: 'Not published', text: 'Rejected. The post stays a draft.' },
  },
  jam_entry: {
    approve: { title: 'Entered', text: 'Approved: it is entered into the jam.' },
    reject: { title: 'Not entered', text: 'Rejected. It is not entered into the jam.' },
  },
}

interface DecidedPageProps {
  visit: Visit
  decision: Decision
  kind: ApprovalKind
}

export function DecidedPage({ visit, decision, kind }: DecidedPageProps) {
  const { title, text } = OUTCOMES[kind][decision]
  return (
    <SmallPage state={{ visit }} title={title}>
      <Notice tone={decision === 'approve' ? 'good' : 'info'}>{text}</Notice>
    </SmallPage>
  )
}

export function NoApprovalPage({ visit }: { visit: Visit }) {
  return (
    <Layout visit={visit} title="This link no longer works">
      <div class="empty">
        <h1>This link no longer works</h1>
        <p>It was used before, it is too old, or what it was about is gone.</p>
      </div>
    </Layout>
  )
}
