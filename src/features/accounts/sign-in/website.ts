import type { Deps } from '../../../deps.ts'
import { AppError, invalidFields } from '../../../errors.ts'
import { isObject } from '../../../lib/field-readers.ts'
import { parseJson } from '../../../lib/json.ts'
import { describeName, isEmail, NAME_MAX, parseName } from '../../../lib/text/names.ts'
import { ACCOUNT_SUSPENDED, SUSPENDED_MESSAGE } from '../suspension.ts'
import {
  AUTH_PATH,
  CLIENT_ADDRESS_HEADER,
  INVITATION_NEEDED,
  PASSWORD_MAX,
  PASSWORD_MIN,
  SIGN_UP_CLOSED,
} from './auth-settings.ts'
import type { Auth } from './auth.ts'
import { askLibrary } from './library-faults.ts'
import type { OpenAuth } from './open-auth.ts'

interface Call {
  headers: Headers
  request: Request
  asResponse: true
}

/** The browser that sent a form: whose session it is, and where from. */
export interface Browser {
  headers: Headers
  address: string
}

export interface Outcome {
  /** Cookies for the browser, as the library wrote them. */
  cookies: string[]
  body: Record<string, unknown>
}

export type WebsiteAuth = ReturnType<typeof createWebsiteAuth>

const WRONG_SIGN_IN = 'The e-mail address or the password is wrong.'
const FAILED = 'That did not work. Try again.'
const EMAIL_FAULT = 'Enter a whole e-mail address, such as name@example.org.'
const PASSWORD_FAULT = `A password has ${PASSWORD_MIN} to ${PASSWORD_MAX} characters.`

/** Calls the account library for the forms of the website; refusals name the field. */
export function createWebsiteAuth(deps: Deps, openAuth: OpenAuth) {
  const { baseUrl, mcpAuthUrl } = deps.config

  /** Calls the library as a request to its own route would, but without HTTP. */
  async function ask(
    { headers, address }: Browser,
    work: (api: Auth['api'], call: Call) => Promise<Response>,
  ): Promise<Response> {
    const own = new Headers({ origin: baseUrl, [CLIENT_ADDRESS_HEADER]: address })
    for (const name of ['cookie', 'user-agent']) {
      const value = headers.get(name)
      if (value !== null) own.set(name, value)
    }
    // The rules store what they know of a call under its request.
    const request = new Request(mcpAuthUrl + AUTH_PATH, { method: 'POST', headers: own })
    const call = { headers: own, request, asResponse: true } as const
    return await askLibrary(deps, async () => {
      const { api } = await openAuth()
      const { isAPIError } = await import('better-auth/api')
      // Refusals by a rule that runs before the endpoint are thrown instead of answered.
      return await work(api, call).catch((error: unknown) => {
        if (!isAPIError(error)) throw error
        return Response.json(error.body ?? null, { status: error.statusCode })
      })
    })
  }

  async function post<Body extends object>(
    browser: Browser,
    body: Body,
    work: (api: Auth['api'], call: Call & { body: Body }) => Promise<Response>,
  ): Promise<Outcome> {
    const answer = await ask(browser, (api, call) => work(api, { ...call, body }))
    const said = await readBody(answer)
    if (!answer.ok) throw explain(answer.status, said, body)
    return { cookies: answer.headers.getSetCookie(), body: said }
  }

  return {
    async signUp(browser: Browser, form: { name: string; email: string; password: string; invite: string }) {
      check([
        ['name', parseName(form.name, NAME_MAX) !== null, `A name is ${describeName(NAME_MAX)}.`],
        ['email', isEmail(form.email), EMAIL_FAULT],
        ['password', isPassword(form.password), PASSWORD_FAULT],
      ])
      return await post(browser, form, (api, call) => api.signUpEmail(call))
    },

    /** The same refusal whether the address is known or not. */
    async signIn(browser: Browser, form: { email: string; password: string }): Promise<Outcome> {
      const answer = await ask(browser, (api, call) => api.signInEmail({ ...call, body: form }))
      const body = await readBody(answer)
      if (answer.ok) return { cookies: answer.headers.getSetCookie(), body }
      if (body.code === ACCOUNT_SUSPENDED)
        throw invalidFields([{ path: '', message: SUSPENDED_MESSAGE }], { kind: 'forbidden' })
      throw invalidFields([{ path: 'email', message: WRONG_SIGN_IN }], { kind: 'unauthorized' })
    },

    signOut: (browser: Browser) => post(browser, {}, (api, call) => api.signOut(call)),

    async requestReset(browser: Browser, email: string): Promise<void> {
      check([['email', isEmail(email), EMAIL_FAULT]])
      await post(browser, { email }, (api, call) => api.requestPasswordReset(call))
    },

    async resetPassword(browser: Browser, token: string, newPassword: string): Promise<Outcome> {
      check([['newPassword', isPassword(newPassword), PASSWORD_FAULT]])
      return await post(browser, { token, newPassword }, (api, call) => api.resetPassword(call))
    },

    sendVerification: (browser: Browser, email: string) =>
      post(browser, { email }, (api, call) => api.sendVerificationEmail(call)),

    confirmEmail: (browser: Browser, token: string) =>
      post(browser, { token }, (api, call) => api.verifyEmail(call)),

    /** Also ends all other access that the old password may have given. */
    async changePassword(browser: Browser, form: { currentPassword: string; newPassword: string }) {
      check([['newPassword', isPassword(form.newPassword), PASSWORD_FAULT]])
      return await post(browser, { ...form, revokeOtherSessions: true }, (api, call) =>
        api.changePassword(call),
      )
    },

    async changeEmail(browser: Browser, form: { newEmail: string; password: string }): Promise<void> {
      check([['newEmail', isEmail(form.newEmail), EMAIL_FAULT]])
      await post(browser, form, (api, call) => api.changeEmail(call))
    },

    verifyPassword: (browser: Browser, password: string) =>
      post(browser, { password }, (api, call) => api.verifyPassword(call)),

    /** Finishes a sign-in that waits for its second step. */
    secondStep: (browser: Browser, form: { code: string; isRecovery: boolean; trustDevice: boolean }) =>
      post(browser, { code: form.code, trustDevice: form.trustDevice }, (api, call) =>
        form.isRecovery ? api.verifyBackupCode(call) : api.verifyTOTP(call),
      ),

    /** Where the browser goes to sign in with a provider, or to connect one with the signed-in account. */
    async leaveTo(browser: Browser, provider: string, next: string, isLink: boolean): Promise<Outcome> {
      const errorCallbackURL = isLink ? '/account/security' : '/sign-in'
      const form = { provider, callbackURL: next, errorCallbackURL, disableRedirect: true }
      return await post(browser, form, (api, call) =>
        isLink ? api.linkSocialAccount(call) : api.signInSocial(call),
      )
    },

    endOtherSessions: (browser: Browser) =>
      post(browser, {}, (api, call) => api.revokeOtherSessions({ ...call, body: undefined })),

    /** Whether the library signed this request of a program, and its signature is still valid. */
    async isSignedRequest(browser: Browser, oauthQuery: string): Promise<boolean> {
      const client_id = new URLSearchParams(oauthQuery).get('client_id') ?? ''
      const body = { client_id, oauth_query: oauthQuery }
      return (await ask(browser, (api, call) => api.getOAuthClientPublicPrelogin({ ...call, body }))).ok
    },

    /** Returns the address of the program that receives the answer. */
    async answerConsent(browser: Browser, accept: boolean, oauthQuery: string): Promise<string> {
      const { body } = await post(browser, { accept, oauth_query: oauthQuery }, (api, call) =>
        api.oauth2Consent(call),
      )
      return String(body.url)
    },
  }
}

function isPassword(text: string): boolean {
  return text.length >= PASSWORD_MIN && text.length <= PASSWORD_MAX
}

function check(rules: readonly [path: string, isMet: boolean, message: string][]): void {
  const issues = rules.flatMap(([path, isMet, message]) => (isMet ? [] : [{ path, message }]))
  if (issues.length > 0) throw invalidFields(issues)
}

async function readBody(answer: Response): Promise<Record<string, unknown>> {
  const text = await answer.text()
  const body = text === '' ? {} : parseJson(text)
  return isObject(body) ? body : {}
}

/** The library's refusal as a fault of the field it is about. */
function explain(status: number, said: Record<string, unknown>, form: object): AppError {
  const secret = 'currentPassword' in form ? 'currentPassword' : 'password'
  switch (said.code) {
    case 'USER_ALREADY_EXISTS':
    case 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL':
      return invalidFields([{ path: 'email', message: 'There is an account with this address; sign in.' }], {
        kind: 'taken',
      })
    case INVITATION_NEEDED:
      return invalidFields([{ path: 'invite', message: String(said.message) }], { kind: 'forbidden' })
    case SIGN_UP_CLOSED:
      return invalidFields([{ path: '', message: String(said.message) }], { kind: 'forbidden' })
    case 'INVALID_PASSWORD':
      return invalidFields([{ path: secret, message: 'This is not your password.' }])
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
