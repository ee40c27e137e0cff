import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { isObject } from '../../../lib/field-readers.ts'
import { parseJson } from '../../../lib/json.ts'
import { isEmail } from '../../../lib/text/email.ts'
import { describeName, NAME_MAX, readName } from '../../../lib/text/names.ts'
import { INVITATION_NEEDED, SIGN_UP_CLOSED } from '../invitations/refusals.ts'
import { ACCOUNT_SUSPENDED, SUSPENDED_MESSAGE } from '../suspension.ts'
import { callAuth } from './auth-call.ts'
import { AUTH_PATH, CLIENT_ADDRESS_HEADER, PASSWORD_MAX, PASSWORD_MIN } from './auth-settings.ts'
import type { OpenAuth } from './open-auth.ts'

/** The browser that sent a form: whose session it is, and where from. */
export interface Browser {
  headers: Headers
  address: string
}

export interface Outcome {
  /** For the browser, as the library wrote them. */
  cookies: string[]
  body: Record<string, unknown>
}

interface Issue {
  path: string
  message: string
}

export type WebsiteAuth = ReturnType<typeof createWebsiteAuth>

const WRONG_SIGN_IN = 'The e-mail address or the password is wrong.'
const FAILED = 'That did not work. Try again.'
const EMAIL_FAULT = 'Enter a whole e-mail address, such as name@example.org.'
const PASSWORD_FAULT = `A password has ${PASSWORD_MIN} to ${PASSWORD_MAX} characters.`

/** What the forms of the website ask of the account library, with refusals that name the field. */
export function createWebsiteAuth(deps: Deps, openAuth: OpenAuth) {
  const { baseUrl, mcpAuthUrl } = deps.config

  async function send(browser: Browser, path: string, body: Record<string, unknown>): Promise<Response> {
    const headers = new Headers({ 'content-type': 'application/json', origin: baseUrl })
    for (const name of ['cookie', 'user-agent']) {
      const value = browser.headers.get(name)
      if (value !== null) headers.set(name, value)
    }
    headers.set(CLIENT_ADDRESS_HEADER, browser.address)
    const request = new Request(mcpAuthUrl + AUTH_PATH + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    return await callAuth(deps, openAuth, request)
  }

  async function post(browser: Browser, path: string, body: Record<string, unknown>): Promise<Outcome> {
    const answer = await send(browser, path, body)
    const said = await readBody(answer)
    if (!answer.ok) throw explain(answer.status, said, body)
    return { cookies: answer.headers.getSetCookie(), body: said }
  }

  return {
    async signUp(browser: Browser, form: { name: string; email: string; password: string; invite: string }) {
      check([
        ['name', readName(form.name, NAME_MAX) !== null, `A name is ${describeName(NAME_MAX)}.`],
        ['email', isEmail(form.email), EMAIL_FAULT],
        ['password', isPassword(form.password), PASSWORD_FAULT],
      ])
      return await post(browser, '/sign-up/email', form)
    },

    /** The same refusal whether the address is known or not. */
    async signIn(browser: Browser, form: { email: string; password: string }): Promise<Outcome> {
      const answer = await send(browser, '/sign-in/email', form)
      const body = await readBody(answer)
      if (answer.ok) return { cookies: answer.headers.getSetCookie(), body }
      if (body.code === ACCOUNT_SUSPENDED)
        throw refuse('forbidden', [{ path: '', message: SUSPENDED_MESSAGE }])
      throw refuse('unauthorized', [{ path: 'email', message: WRONG_SIGN_IN }])
    },

    signOut: (browser: Browser) => post(browser, '/sign-out', {}),

    async requestReset(browser: Browser, email: string): Promise<void> {
      check([['email', isEmail(email), EMAIL_FAULT]])
      await post(browser, '/request-password-reset', { email })
    },

    async resetPassword(browser: Browser, token: string, newPassword: string): Promise<Outcome> {
      check([['newPassword', isPassword(newPassword), PASSWORD_FAULT]])
      return await post(browser, '/reset-password', { token, newPassword })
    },

    sendVerification: (browser: Browser, email: string) =>
      post(browser, '/send-verification-email', { email }),

    confirmEmail: (browser: Browser, token: string) => post(browser, '/verify-email', { token }),

    /** Also ends all other access that the old password may have given. */
    async changePassword(browser: Browser, form: { currentPassword: string; newPassword: string }) {
      check([['newPassword', isPassword(form.newPassword), PASSWORD_FAULT]])
      return await post(browser, '/change-password', { ...form, revokeOtherSessions: true })
    },

    async changeEmail(browser: Browser, form: { newEmail: string; password: string }): Promise<void> {
      check([['newEmail', isEmail(form.newEmail), EMAIL_FAULT]])
      await post(browser, '/change-email', form)
    },

    verifyPassword: (browser: Browser, password: string) => post(browser, '/verify-password', { password }),

    /** Finishes a sign-in that waits for its second step. */
    secondStep: (browser: Browser, form: { code: string; isRecovery: boolean; trustDevice: boolean }) =>
      post(browser, form.isRecovery ? '/two-factor/verify-backup-code' : '/two-factor/verify-totp', {
        code: form.code,
        trustDevice: form.trustDevice,
      }),

    /** Where the browser goes to sign in by others, or to connect them with the account it is signed in to. */
    async leaveTo(browser: Browser, provider: string, next: string, isLink: boolean): Promise<Outcome> {
      const form = { provider, callbackURL: next, errorCallbackURL: isLink ? '/account' : '/sign-in' }
      const path = isLink ? '/link-social' : '/sign-in/social'
      return await post(browser, path, { ...form, disableRedirect: true })
    },

    endOtherSessions: (browser: Browser) => post(browser, '/revoke-other-sessions', {}),

    /** Whether the library signed this request of a program, and its signature is still valid. */
    async isSignedRequest(browser: Browser, oauthQuery: string): Promise<boolean> {
      const client_id = new URLSearchParams(oauthQuery).get('client_id') ?? ''
      const body = { client_id, oauth_query: oauthQuery }
      return (await send(browser, '/oauth2/public-client-prelogin', body)).ok
    },

    /** Returns the address of the program that receives the answer. */
    async answerConsent(browser: Browser, accept: boolean, oauthQuery: string): Promise<string> {
      const { body } = await post(browser, '/oauth2/consent', { accept, oauth_query: oauthQuery })
      return String(body.url)
    },
  }
}

function isPassword(text: string): boolean {
  return text.length >= PASSWORD_MIN && text.length <= PASSWORD_MAX
}

function check(rules: readonly [path: string, isMet: boolean, message: string][]): void {
  const issues = rules.flatMap(([path, isMet, message]) => (isMet ? [] : [{ path, message }]))
  if (issues.length > 0) throw refuse('invalid_request', issues)
}

function refuse(
  kind: 'invalid_request' | 'unauthorized' | 'forbidden' | 'taken',
  issues: readonly Issue[],
): AppError {
  return new AppError(kind, { message: issues[0]?.message ?? '', data: { issues } })
}

async function readBody(answer: Response): Promise<Record<string, unknown>> {
  const text = await answer.text()
  const body = text === '' ? {} : parseJson(text)
  return isObject(body) ? body : {}
}

/** The library's refusal as a fault of the field it is about. */
function explain(status: number, said: Record<string, unknown>, form: Record<string, unknown>): AppError {
  const secret = 'currentPassword' in form ? 'currentPassword' : 'password'
  switch (said.code) {
    case 'USER_ALREADY_EXISTS':
    case 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL':
      return refuse('taken', [{ path: 'email', message: 'There is an account with this address; sign in.' }])
    case INVITATION_NEEDED:
      return refuse('forbidden', [{ path: 'invite', message: String(said.message) }])
    case SIGN_UP_CLOSED:
      return refuse('forbidden', [{ path: '', message: String(said.message) }])
    case 'INVALID_PASSWORD':
      return refuse('invalid_request', [{ path: secret, message: 'This is not your password.' }])
    case 'INVALID_TOKEN':
      return new AppError('invalid_request', {
        message: 'This link was used before or is too old; ask for a new one.',
      })
    default:
      if (status === 401) return new AppError('unauthorized')
      return new AppError('invalid_request', {
        message: [said.message, said.error_description].find((text) => typeof text === 'string') ?? FAILED,
      })
  }
}
