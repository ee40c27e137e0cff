import type { ComponentChildren } from 'preact'

import { PASSWORD_MAX, PASSWORD_MIN } from '../../features/accounts/sign-in/body-rules.ts'
import { NAME_MAX } from '../../lib/text/names.ts'
import { DoneNotice, type Notices } from '../components/notice.tsx'
import { TextField } from '../kit/fields.tsx'
import { FaultSummary, PostForm } from '../kit/form.tsx'
import { Layout } from '../kit/layout.tsx'
import { formOf, type PageState } from '../kit/pages.ts'

export const PASSWORD_HINT = `At least ${PASSWORD_MIN} characters.`

const NOTICES = {
  reset: 'Your new password is set. Sign in with it.',
  deleted: 'Your account was deleted.',
}

interface SmallPageProps {
  state: Pick<PageState, 'visit' | 'refused'>
  title: string
  notices?: Notices
  children: ComponentChildren
}

/** A page with a single small form. */
export function SmallPage({ state: { visit, refused }, title, notices = {}, children }: SmallPageProps) {
  return (
    <Layout visit={visit} title={title}>
      <div class="panel small-page">
        <h1>{title}</h1>
        <DoneNotice visit={visit} notices={notices} />
        <FaultSummary form={refused?.form} />
        {children}
      </div>
    </Layout>
  )
}

interface FormPageProps {
  state: PageState
  /** The path to go to afterwards. */
  next: string
}

export function SignInPage({ state, next }: FormPageProps) {
  const form = formOf(state, 'sign-in')
  return (
    <SmallPage state={state} title="Sign in" notices={NOTICES}>
      <PostForm action="/sign-in">
        <input type="hidden" name="next" value={next} />
        <TextField form={form} name="email" label="E-mail" type="email" autoComplete="username" required />
        <TextField
          {...{ form, name: 'password', label: 'Password', type: 'password' }}
          autoComplete="current-password"
          required
        />
        <button class="button" type="submit">
          Sign in
        </button>
      </PostForm>
      <ul class="links small">
        <li>
          <a href="/forgot">Forgot your password?</a>
        </li>
        <li>
          <a href={withNext('/sign-up', next)}>Create an account</a>
        </li>
      </ul>
    </SmallPage>
  )
}

export function SignUpPage({ state, next }: FormPageProps) {
  const form = formOf(state, 'sign-up')
  return (
    <SmallPage state={state} title="Create an account">
      <PostForm action="/sign-up">
        <input type="hidden" name="next" value={next} />
        <TextField
          {...{ form, name: 'name', label: 'Name', maxLength: NAME_MAX }}
          autoComplete="name"
          hint="Your username is made from it; you can change that later."
          required
        />
        <TextField form={form} name="email" label="E-mail" type="email" autoComplete="username" required />
        <TextField
          {...{ form, name: 'password', label: 'Password', type: 'password', maxLength: PASSWORD_MAX }}
          autoComplete="new-password"
          hint={PASSWORD_HINT}
          required
        />
        <button class="button" type="submit">
          Create account
        </button>
      </PostForm>
      <p class="small">
        You have one? <a href={withNext('/sign-in', next)}>Sign in</a>
      </p>
    </SmallPage>
  )
}

function withNext(path: string, next: string): string {
  return next === '/' ? path : `${path}?next=${encodeURIComponent(next)}`
}
