import { html } from '../../lib/html.ts'
import { renderPage } from '../layout.ts'

export interface AskedApproval {
  listing: string
  app: string
  version: string
  title: string
  platform: string
  askedBy: string
}

/** Opening it changes nothing: mail programs open links on their own. */
export function renderApproval({ listing, app, version, title, platform, askedBy }: AskedApproval): string {
  return renderPage(
    `Release version ${version} of “${listing}”?`,
    html`<p>
        A program that acts for ${askedBy} asks to make this the stable build, which every player gets:
      </p>
      <ul>
        <li>Version ${version}${title !== '' && html`, “${title}”`}</li>
        <li>For ${platform}</li>
        <li>App: ${app}</li>
      </ul>
      <form id="approval">
        <div class="actions">
          <button type="submit" value="approve">Approve</button>
          <button type="submit" value="reject" class="second">Reject</button>
        </div>
        <p role="alert"></p>
      </form>`,
  )
}

export function renderNoApproval(): string {
  return renderPage(
    'This link does not work any more',
    html`<p>It was used before, it is too old, or the build it was about is gone.</p>`,
  )
}
