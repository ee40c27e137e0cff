import { html } from '../../lib/html.ts'
import { renderPage } from '../layout.ts'

export function renderSignIn(): string {
  return renderPage(
    'Sign in',
    html`<form id="sign-in">
      <label>
        E-mail
        <input name="email" type="email" autocomplete="username" required autofocus />
      </label>
      <label>
        Password
        <input name="password" type="password" autocomplete="current-password" required />
      </label>
      <div class="actions"><button type="submit">Sign in</button></div>
      <p role="alert"></p>
    </form>`,
  )
}
