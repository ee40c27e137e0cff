import type { Visit } from '../../http/visit.ts'
import { PostForm, Submit } from '../kit/form.tsx'
import { Layout } from '../kit/layout.tsx'
import type { PageState } from '../kit/pages.ts'
import { SmallPage } from './sign-in-page.tsx'

/** Explains each scope to the person who is asked to grant it. */
export const SCOPE_TEXTS: Readonly<Record<string, string>> = {
  'player:read': 'See what you own and play',
  'player:bugs': 'File bug reports in your name',
  'player:install': 'Install and update what you own',
  'mcp:catalog.read': 'Search the catalog for you and read your projects, drafts too',
  'mcp:builds.read': 'See the builds, channels, symbols and images of your projects',
  'mcp:builds.write': 'Delete builds, symbols and images of your projects, and move their channels',
  'mcp:bugs.read': 'Read the bug reporter settings and tickets of your projects',
  'mcp:bugs.write': 'Change the bug reporter and tickets of your projects, and report bugs in your name',
  'mcp:crash.read': 'Read the crash reports of your projects',
  'mcp:health.read': 'Read the launch health of your projects',
  offline_access: 'Stay connected until you end it',
}

export interface ConsentRequest {
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
