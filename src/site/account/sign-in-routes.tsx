import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import { readConfirmation } from '../../features/accounts/email/read-confirmation.ts'
import type { Outcome, WebsiteAuth } from '../../features/accounts/sign-in/website.ts'
import type { HttpKit } from '../../http/kit.ts'
import { attempt, EMPTY_FORM, textOf } from '../kit/form-state.ts'
import { formTargetsOf, readNext, readSignInTarget } from '../kit/next.ts'
import { show } from '../kit/render.ts'
import { browserOf, requireUser, signInPath, signInPathTo } from '../kit/signed-in.ts'
import { ConfirmPage, VerifyPage } from './confirmation-page.tsx'
import { BrokenLinkPage, ForgotPage, ResetPage } from './password-page.tsx'
import { SignInPage, SignUpPage } from './sign-in-page.tsx'

/** Limits attempts to sign in, sign up or use a mailed link, as on the account routes. */
const submitted = { limit: 'accounts', page: true } as const

const NOTICES: Readonly<Record<string, string>> = {
  reset: 'Your new password is set. Sign in with it.',
  deleted: 'Your account was deleted.',
}

/** What a redirect to `/verify` reports. */
const VERIFICATIONS = ['confirmed', 'sent'] as const

/** Sign-up, sign-in, e-mail confirmation and password reset. */
export function signInPages(kit: HttpKit, deps: Deps, auth: WebsiteAuth) {
  const { trustProxy } = deps.config

  return new Elysia({ name: 'sign-in-pages' })
    .use(kit)
    .get(
      '/sign-in',
      async ({ visit, query, set, redirect }) => {
        const next = readSignInTarget(visit.url.searchParams)
        const formTargets = await formTargetsOf(deps, next)
        // A program may require a new sign-in: if redirected back at once, it would ask for it again.
        if (visit.actor.kind === 'user' && formTargets.length === 0) return redirect(next, 303)
        const notice = NOTICES[query.done ?? ''] ?? null
        return show(visit, set, <SignInPage {...{ visit, next, notice, form: EMPTY_FORM }} />, {
          formTargets,
        })
      },
      { page: true },
    )
    .post(
      '/sign-in',
      async ({ visit, form, server, set, redirect }) => {
        const next = readNext(form.get('next'))
        const entered = { email: textOf(form, 'email').trim(), password: textOf(form, 'password') }
        const refused = await attempt(form, async () => {
          passCookies(set, await auth.signIn(browserOf(visit, server, trustProxy), entered))
        })
        if (!refused) return redirect(next, 303)
        const page = <SignInPage {...{ visit, next, notice: null, form: refused.form }} />
        return show(visit, set, page, {
          status: refused.status,
          formTargets: await formTargetsOf(deps, next),
        })
      },
      submitted,
    )
    .get(
      '/sign-up',
      async ({ visit, set, redirect }) => {
        const next = readSignInTarget(visit.url.searchParams)
        if (visit.actor.kind === 'user') return redirect(next, 303)
        const formTargets = await formTargetsOf(deps, next)
        return show(visit, set, <SignUpPage {...{ visit, next, form: EMPTY_FORM }} />, { formTargets })
      },
      { page: true },
    )
    .post(
      '/sign-up',
      async ({ visit, form, server, set, redirect }) => {
        const next = readNext(form.get('next'))
        const entered = {
          name: textOf(form, 'name'),
          email: textOf(form, 'email').trim(),
          password: textOf(form, 'password'),
        }
        const refused = await attempt(form, async () => {
          passCookies(set, await auth.signUp(browserOf(visit, server, trustProxy), entered))
        })
        if (!refused) return redirect(next === '/' ? '/account?done=welcome' : next, 303)
        const page = <SignUpPage {...{ visit, next, form: refused.form }} />
        return show(visit, set, page, {
          status: refused.status,
          formTargets: await formTargetsOf(deps, next),
        })
      },
      submitted,
    )
    .post(
      '/sign-out',
      async ({ visit, server, set, redirect }) => {
        passCookies(set, await auth.signOut(browserOf(visit, server, trustProxy)))
        return redirect('/', 303)
      },
      { page: true },
    )
    .get(
      '/forgot',
      ({ visit, query, set }) =>
        show(visit, set, <ForgotPage visit={visit} form={EMPTY_FORM} isSent={query.done === 'sent'} />),
      { page: true },
    )
    .post(
      '/forgot',
      async ({ visit, form, server, set, redirect }) => {
        const browser = browserOf(visit, server, trustProxy)
        const refused = await attempt(form, () => auth.requestReset(browser, textOf(form, 'email').trim()))
        if (!refused) return redirect('/forgot?done=sent', 303)
        const page = <ForgotPage visit={visit} form={refused.form} isSent={false} />
        return show(visit, set, page, { status: refused.status })
      },
      submitted,
    )
    .get(
      '/reset',
      ({ visit, query, set }) => {
        const token = query.token ?? ''
        if (token === '') return show(visit, set, <BrokenLinkPage visit={visit} />, { status: 400 })
        const page = <ResetPage visit={visit} form={EMPTY_FORM} token={token} />
        return show(visit, set, page, { isSecret: true })
      },
      { page: true },
    )
    .post(
      '/reset',
      async ({ visit, form, server, set, redirect }) => {
        const [token, newPassword] = [textOf(form, 'token'), textOf(form, 'newPassword')]
        const browser = browserOf(visit, server, trustProxy)
        const refused = await attempt(form, async () => {
          passCookies(set, await auth.resetPassword(browser, token, newPassword))
        })
        if (!refused) return redirect('/sign-in?done=reset', 303)
        const isField = refused.form.faults.some(({ field }) => field !== '')
        const page = isField ? (
          <ResetPage visit={visit} form={refused.form} token={token} />
        ) : (
          <BrokenLinkPage visit={visit} />
        )
        return show(visit, set, page, { status: refused.status, isSecret: true })
      },
      submitted,
    )
    .get(
      '/verify',
      async ({ visit, query: { token, done }, set, redirect }) => {
        const { actor } = visit
        if (token === undefined) {
          const state = VERIFICATIONS.find((known) => known === done) ?? 'asked'
          return show(visit, set, <VerifyPage visit={visit} state={state} />)
        }
        if (actor.kind !== 'user') return redirect(signInPath(visit), 303)
        const email = await readConfirmation(deps, actor, token)
        const page =
          email === null ? (
            <VerifyPage visit={visit} state="failed" />
          ) : (
            <ConfirmPage {...{ visit, user: actor, email, token }} />
          )
        return show(visit, set, page, { status: email === null ? 400 : 200, isSecret: true })
      },
      { page: true },
    )
    .post(
      '/verify',
      async ({ visit, form, server, set, redirect }) => {
        const token = form.get('token')
        if (token !== null && visit.actor.kind !== 'user') {
          return redirect(signInPathTo(`/verify?token=${encodeURIComponent(token)}`), 303)
        }
        const user = requireUser(visit.actor)
        const browser = browserOf(visit, server, trustProxy)
        if (token === null) {
          if (!user.emailVerified) await auth.sendVerification(browser, user.email)
          return redirect('/verify?done=sent', 303)
        }
        const refused = await attempt(form, () => auth.confirmEmail(browser, token))
        if (!refused) return redirect('/verify?done=confirmed', 303)
        const page = <VerifyPage visit={visit} state={refused.status === 409 ? 'taken' : 'failed'} />
        return show(visit, set, page, { status: refused.status, isSecret: true })
      },
      submitted,
    )
}

interface Settings {
  headers: { 'set-cookie'?: string | string[] | undefined }
}

export function passCookies(set: Settings, { cookies }: Outcome): void {
  set.headers['set-cookie'] = cookies
}
