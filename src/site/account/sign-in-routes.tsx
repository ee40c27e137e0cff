import type { Deps } from '../../deps.ts'
import { isResetLink, loadConfirmation } from '../../features/accounts/email/mailed-links.ts'
import { explainPasskeysOff } from '../../features/accounts/factors/factors.ts'
import { INVITATION_COOKIE } from '../../features/accounts/sign-in/auth-settings.ts'
import type { Outcome, WebsiteAuth } from '../../features/accounts/sign-in/website.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { textOf } from '../kit/form-state.ts'
import { formTargetsOf, parseNext, parseSignInTarget } from '../kit/next.ts'
import {
  type Act,
  browserOf,
  type PageContext,
  type PageState,
  publicPages,
  requireUser,
  type ShowPage,
  signInPathTo,
} from '../kit/pages.ts'
import { BrokenLinkPage, ConfirmPage, ForgotPage, ResetPage, VerifyPage } from './mailed-link-pages.tsx'
import { SecondStepPage } from './second-step-page.tsx'
import { SignInPage, SignUpPage } from './sign-in-page.tsx'

/** Limits attempts to sign in, sign up, change a password or use a mailed link, as on the account routes. */
export const counted = () => ({ limit: 'accounts', page: true }) as const

/** What a redirect to `/verify` reports. */
const VERIFICATIONS = ['confirmed', 'sent'] as const

const { view, submit } = publicPages

const INVITE = /^[a-z2-7-]{1,40}$/i
const INVITE_SECONDS = 3600

/** Sign-up, sign-in, e-mail confirmation and password reset. */
export function signInPages(kit: HttpKit, deps: Deps, auth: WebsiteAuth) {
  const { trustProxy, signInProviders, passwordSignIn, baseUrl } = deps.config
  const ways = {
    providers: signInProviders.map(({ id, name }) => ({ id, name })),
    password: passwordSignIn,
    passkeys: explainPasskeysOff(baseUrl) === null,
  }

  const showSignIn: ShowPage = async (actor, state) => {
    const next = nextOf(state)
    const formTargets = await formTargetsOf(deps, next)
    // A program may require a new sign-in: if redirected back at once, it would ask for it again.
    if (actor.kind === 'user' && !state.refused && formTargets.length === 0) return next
    return { page: <SignInPage {...{ state, next, ways }} />, formTargets }
  }

  const signIn: Act = async (_, form, context) => {
    const entered = { email: textOf(form, 'email').trim(), password: textOf(form, 'password') }
    const outcome = await auth.signIn(browserOf(context, trustProxy), entered)
    passCookies(context, outcome)
    const next = parseNext(form.get('next'))
    return outcome.body.twoFactorRedirect === true ? secondStepPath(next) : next
  }

  const showSecondStep: ShowPage = (_, state) => (
    <SecondStepPage {...{ state, next: nextOf(state), passkeys: ways.passkeys }} />
  )

  const secondStep: Act = async (_, form, context) => {
    const code = textOf(form, 'code').trim()
    // Codes with letters are recovery codes; those of an app have digits only.
    const entered = { code, isRecovery: /[a-z]/i.test(code), trustDevice: form.has('trust') }
    passCookies(context, await auth.secondStep(browserOf(context, trustProxy), entered))
    return parseNext(form.get('next'))
  }

  const leave: ShowPage = async (_, context) => {
    const next = parseNext(context.query.next ?? null)
    const browser = browserOf(context, trustProxy)
    const outcome = await auth.leaveTo(browser, context.params.provider ?? '', next, false)
    passCookies(context, outcome)
    return String(outcome.body.url)
  }

  const showSignUp: ShowPage = async (actor, state) => {
    const next = nextOf(state)
    if (actor.kind === 'user' && !state.refused) return next
    const invite = parseInvite(state)
    if (invite !== '') keepInvite(state, invite, baseUrl)
    const page = <SignUpPage {...{ state, next, invite, ways }} />
    return { page, formTargets: await formTargetsOf(deps, next), isSecret: invite !== '' }
  }

  const signUp: Act = async (_, form, context) => {
    const next = parseNext(form.get('next'))
    const entered = {
      name: textOf(form, 'name'),
      email: textOf(form, 'email').trim(),
      password: textOf(form, 'password'),
      invite: textOf(form, 'invite'),
    }
    passCookies(context, await auth.signUp(browserOf(context, trustProxy), entered))
    return next === '/' ? '/account?done=welcome' : next
  }

  const signOut: Act = async (_, __, context) => {
    passCookies(context, await auth.signOut(browserOf(context, trustProxy)))
    return '/'
  }

  const showForgot: ShowPage = (_, state) => <ForgotPage state={state} />

  const requestReset: Act = async (_, form, context) => {
    await auth.requestReset(browserOf(context, trustProxy), textOf(form, 'email').trim())
    return '/forgot?done=sent'
  }

  const showReset =
    (readToken: (state: PageState) => string | undefined): ShowPage =>
    async (_, state) => {
      const { visit, refused } = state
      const token = refused?.form.values.get('token') ?? readToken(state) ?? ''
      const isBroken = refused
        ? refused.form.faults.every(({ field }) => field === '')
        : !(await isResetLink(deps.db, token))
      if (isBroken) return { page: <BrokenLinkPage visit={visit} />, status: refused?.status ?? 400 }
      return { page: <ResetPage state={state} token={token} />, isSecret: true }
    }
  const showNamedReset = showReset(({ query }) => query.token)

  const reset: Act = async (_, form, context) => {
    const [token, newPassword] = [textOf(form, 'token'), textOf(form, 'newPassword')]
    passCookies(context, await auth.resetPassword(browserOf(context, trustProxy), token, newPassword))
    return '/sign-in?done=reset'
  }

  const showVerify: ShowPage = async (actor, { visit, query, refused }) => {
    if (refused?.form.values.has('token'))
      return <VerifyPage visit={visit} state={refused.status === 409 ? 'taken' : 'failed'} />
    if (query.token === undefined) {
      const state = VERIFICATIONS.find((known) => known === query.done) ?? 'asked'
      return <VerifyPage {...{ visit, refused, state }} />
    }
    const user = requireUser(actor)
    const email = await loadConfirmation(deps, user, query.token)
    if (email === null)
      return { page: <VerifyPage visit={visit} state="failed" />, status: 400, isSecret: true }
    return { page: <ConfirmPage {...{ visit, user, email }} token={query.token} />, isSecret: true }
  }

  const verify: Act = async (actor, form, context) => {
    const token = form.get('token')
    if (token !== null && actor.kind !== 'user')
      return signInPathTo(`/verify?token=${encodeURIComponent(token)}`)
    const user = requireUser(actor)
    const browser = browserOf(context, trustProxy)
    if (token !== null) {
      await auth.confirmEmail(browser, token)
      return '/verify?done=confirmed'
    }
    if (!user.emailVerified) await auth.sendVerification(browser, user.email)
    return '/verify?done=sent'
  }

  return createRoutes(kit, { name: 'sign-in-pages' })
    .get('/sign-in', view(showSignIn), { page: true })
    .post('/sign-in', submit('sign-in', signIn, showSignIn), counted())
    .get('/sign-in/with/:provider', view(leave), counted())
    .get('/second-step', view(showSecondStep), { page: true })
    .post('/second-step', submit('second-step', secondStep, showSecondStep), counted())
    .get('/sign-up', view(showSignUp), { page: true })
    .post('/sign-up', submit('sign-up', signUp, showSignUp), counted())
    .post('/sign-out', submit('sign-out', signOut, showSignIn), { page: true })
    .get('/forgot', view(showForgot), { page: true })
    .post('/forgot', submit('forgot', requestReset, showForgot), counted())
    .get('/reset', view(showNamedReset), { page: true })
    .get('/reset/:token', view(showReset(({ params }) => params.token)), { page: true })
    .post('/reset', submit('reset', reset, showNamedReset), counted())
    .get('/verify', view(showVerify), { page: true })
    .post('/verify', submit('verify', verify, showVerify), counted())
}

/** The invitation code from the address or the rejected form. */
function parseInvite({ query, refused }: PageState): string {
  const code = refused?.form.values.get('invite') ?? query.invite ?? ''
  return INVITE.test(code) ? code : ''
}

/** Stores the code in a cookie for a sign-up through a provider, whose redirect back has no form. */
function keepInvite({ set }: PageContext, code: string, baseUrl: string): void {
  const secure = baseUrl.startsWith('https:') ? '; Secure' : ''
  set.headers['set-cookie'] =
    `${INVITATION_COOKIE}=${code}; Path=/; Max-Age=${INVITE_SECONDS}; SameSite=Lax; HttpOnly${secure}`
}

function secondStepPath(next: string): string {
  return next === '/' ? '/second-step' : `/second-step?next=${encodeURIComponent(next)}`
}

/** The form carries the target that the page was opened with. */
function nextOf({ visit, refused }: PageState): string {
  return refused ? parseNext(refused.form.values.get('next')) : parseSignInTarget(visit.url.searchParams)
}

export function passCookies({ set }: PageContext, { cookies }: Outcome): void {
  Object.assign(set.headers, { 'set-cookie': cookies })
}
