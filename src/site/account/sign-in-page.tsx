import type { ComponentChildren } from 'preact'

import type { Visit } from '../../http/visit.ts'
import { Notice } from '../components/notice.tsx'
import type { FormState } from '../kit/form-state.ts'
import { FaultSummary, Field, PostForm } from '../kit/form.tsx'
import { Layout } from '../kit/layout.tsx'

interface FormPageProps {
  visit: Visit
  form: FormState
  /** The path to go to afterwards. */
  next: string
}

interface PanelProps {
  visit: Visit
  title: string
  children: ComponentChildren
}

/** A page with a single small form. */
export function SmallPage({ visit, title, children }: PanelProps) {
  return (
    <Layout visit={visit} title={title}>
      <div class="panel small-page">
        <h1>{title}</h1>
        {children}
      </div>
    </Layout>
  )
}

export function SignInPage({ visit, form, next, notice }: FormPageProps & { notice: string | null }) {
  return (
    <SmallPage visit={visit} title="Sign in">
      {notice === null ? null : <Notice tone="good">{notice}</Notice>}
      <FaultSummary form={form} />
      <PostForm action="/sign-in">
        <input type="hidden" name="next" value={next} />
        <Field form={form} name="email" label="E-mail" type="email" autoComplete="username" required />
        <Field
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

export function SignUpPage({ visit, form, next }: FormPageProps) {
  return (
    <SmallPage visit={visit} title="Create an account">
      <FaultSummary form={form} />
      <PostForm action="/sign-up">
        <input type="hidden" name="next" value={next} />
        <Field
          {...{ form, name: 'name', label: 'Name', maxLength: 80 }}
          autoComplete="name"
          hint="Your username is made from it; you can change that later."
          required
        />
        <Field form={form} name="email" label="E-mail" type="email" autoComplete="username" required />
        <Field
          {...{ form, name: 'password', label: 'Password', type: 'password', maxLength: 256 }}
          autoComplete="new-password"
          hint="At least 10 characters."
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
