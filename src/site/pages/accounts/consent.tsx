import type { Visit } from '../../../http/visit.ts'
import { Layout } from '../../layout.tsx'

/** What each scope means to the person who is asked for it. */
const SCOPE_TEXTS: Readonly<Record<string, string>> = {
  'player:read': 'See what you own and play',
  'player:bugs': 'File bug reports in your name',
  'mcp:catalog.read': 'Search the catalog for you',
  'mcp:builds.read': 'See the builds and channels of your projects',
  'mcp:builds.write': 'Delete builds and move channels of your projects',
  'mcp:bugs.read': 'Read the bug reporter settings and tickets of your projects',
  'mcp:bugs.write': 'Change the bug reporter and tickets of your projects',
  'mcp:crash.read': 'Read the crash reports of your projects',
  'mcp:health.read': 'Read the launch health of your projects',
  offline_access: 'Stay connected until you end it',
}

export interface ConsentRequest {
  clientName: string
  redirectHost: string
  scopes: readonly string[]
}

export function ConsentPage({ visit, clientName, redirectHost, scopes }: ConsentRequest & { visit: Visit }) {
  const title = `Allow “${clientName}” to use your account?`
  return (
    <Layout visit={visit} title={title} scripts={['forms']}>
      <div class="panel form">
        <h1>{title}</h1>
        <p>It asks to:</p>
        <ul>
          {scopes.map((scope) => (
            <li key={scope}>{SCOPE_TEXTS[scope] ?? scope}</li>
          ))}
        </ul>
        <p class="quiet small">
          The name was chosen by the program itself. You will be sent to {redirectHost}.
        </p>
        <form id="consent">
          <div class="row">
            <button class="button" type="submit" value="accept">
              Allow
            </button>
            <button class="button second" type="submit" value="deny">
              Deny
            </button>
          </div>
          <p role="alert" />
        </form>
      </div>
    </Layout>
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
