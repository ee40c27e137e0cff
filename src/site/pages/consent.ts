import { html } from '../../lib/html.ts'
import { renderPage } from '../layout.ts'

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

export function renderConsent({ clientName, redirectHost, scopes }: ConsentRequest): string {
  return renderPage(
    `Allow “${clientName}” to use your account?`,
    html`<p>It asks to:</p>
      <ul>
        ${scopes.map((scope) => html`<li>${SCOPE_TEXTS[scope] ?? scope}</li>`)}
      </ul>
      <p class="quiet">The name was chosen by the program itself. You will be sent to ${redirectHost}.</p>
      <form id="consent">
        <div class="actions">
          <button type="submit" value="accept">Allow</button>
          <button type="submit" value="deny" class="second">Deny</button>
        </div>
        <p role="alert"></p>
      </form>`,
  )
}

export function renderUnknownClient(): string {
  return renderPage(
    'This request cannot be read',
    html`<p>The program that sent you here is not known, or its link is broken. Go back and start again.</p>`,
  )
}
