import type { Visit } from '../../../http/visit.ts'
import { Layout } from '../../layout.tsx'

export function SignInPage({ visit }: { visit: Visit }) {
  return (
    <Layout visit={visit} title="Sign in" scripts={['forms']}>
      <div class="panel form">
        <h1>Sign in</h1>
        <form id="sign-in" class="form">
          <div class="field">
            <label for="email">E-mail</label>
            <input class="input" id="email" name="email" type="email" autoComplete="username" required />
          </div>
          <div class="field">
            <label for="password">Password</label>
            <input
              class="input"
              id="password"
              name="password"
              type="password"
              autoComplete="current-password"
              required
            />
          </div>
          <button class="button" type="submit">
            Sign in
          </button>
          <p role="alert" />
        </form>
      </div>
    </Layout>
  )
}
