import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import type { WebsiteUser } from '../../domain/actor.ts'
import { confirmSession } from '../../features/accounts/confirmation/confirm-session.ts'
import { usesPassword } from '../../features/accounts/confirmation/own-password.ts'
import * as factors from '../../features/accounts/factors/factors.ts'
import { disconnectProvider } from '../../features/accounts/providers/connections.ts'
import type { WebsiteAuth } from '../../features/accounts/sign-in/website.ts'
import type { HttpKit } from '../../http/kit.ts'
import { textOf } from '../kit/form-state.ts'
import { readNext } from '../kit/next.ts'
import { type Act, ownPages, type ShowPage } from '../kit/pages.ts'
import { browserOf } from '../kit/signed-in.ts'
import { ConfirmItIsYouPage } from './second-step-page.tsx'
import { NewAppPage, NewCodesPage } from './security-section.tsx'
import { counted, passCookies } from './sign-in-routes.tsx'

const { view, submit } = ownPages
const fresh = () => ({ page: true, fresh: true, limit: 'account_write' }) as const

interface Parts {
  websiteAuth: WebsiteAuth
  showAccount: ShowPage<WebsiteUser>
}

/** The forms of the section Sign-in security, and the page that asks for a fresh proof. */
export function securityPages(kit: HttpKit, deps: Deps, { websiteAuth, showAccount: page }: Parts) {
  const { trustProxy } = deps.config
  const done = (name: string) => `/account?done=${name}#security`

  const showConfirm: ShowPage<WebsiteUser> = async (user, state) => {
    const next = readNext(state.refused?.form.values.get('next') ?? state.query.next ?? null, '/account')
    const facts = await factors.listFactors(deps, user)
    const password = await usesPassword(deps, user.userUid)
    const passkeys = facts.passkeys.length > 0 && facts.passkeys_off === null
    const app = facts.authenticator_app
    const providers = facts.providers.filter(({ connected_at }) => connected_at !== null)
    return <ConfirmItIsYouPage {...{ state, next, passkeys, password, app, providers }} />
  }

  const confirm: Act<WebsiteUser> = async (user, form, context) => {
    const [password, code] = [textOf(form, 'password'), textOf(form, 'code').trim()]
    const proof = password === '' ? { code } : { password }
    await confirmSession(deps, websiteAuth, user, browserOf(context, trustProxy), proof)
    return readNext(form.get('next'), '/account')
  }

  const startApp: Act<WebsiteUser> = async (user, _, state) => (
    <NewAppPage state={state} app={await factors.startAuthenticator(deps, user)} />
  )

  /** After a wrong code: the same QR code, because the app has it already. */
  const showStarted: ShowPage<WebsiteUser> = async (user, context) => {
    const app = await factors.readStartedApp(deps, user)
    return app ? <NewAppPage state={context} app={app} /> : await page(user, context)
  }

  const confirmApp: Act<WebsiteUser> = async (user, form, { visit }) => {
    const { recovery_codes: codes } = await factors.confirmAuthenticator(deps, user, textOf(form, 'code'))
    return codes.length === 0 ? done('app') : <NewCodesPage {...{ visit, codes }} />
  }

  const removeApp: Act<WebsiteUser> = async (user) => {
    await factors.removeAuthenticator(deps, user)
    return done('factor-removed')
  }

  const renewCodes: Act<WebsiteUser> = async (user, _, { visit }) => {
    const { recovery_codes: codes } = await factors.renewRecoveryCodes(deps, user)
    return <NewCodesPage {...{ visit, codes }} />
  }

  const removePasskey: Act<WebsiteUser> = async (user, _, { params }) => {
    await factors.removePasskey(deps, user, params.uid ?? '')
    return done('factor-removed')
  }

  const renamePasskey: Act<WebsiteUser> = async (user, form, { params }) => {
    await factors.renamePasskey(deps, user, params.uid ?? '', textOf(form, 'name'))
    return done('renamed')
  }

  const disconnect: Act<WebsiteUser> = async (user, _, { params }) => {
    await disconnectProvider(deps, user, params.provider ?? '')
    return done('provider-removed')
  }

  const forget: Act<WebsiteUser> = async (user, _, { params }) => {
    await factors.forgetBrowser(deps, user, params.uid ?? '')
    return done('forgotten')
  }

  const connect: ShowPage<WebsiteUser> = async (_, context) => {
    const browser = browserOf(context, trustProxy)
    const outcome = await websiteAuth.leaveTo(browser, context.params.provider ?? '', done('connected'), true)
    passCookies(context, outcome)
    return String(outcome.body.url)
  }

  return new Elysia({ name: 'security-pages' })
    .use(kit)
    .get('/confirm', view(showConfirm), { page: true })
    .post('/confirm', submit('confirm', confirm, showConfirm), counted())
    .post('/account/authenticator', submit('security', startApp, page), fresh())
    .post('/account/authenticator/confirm', submit('security', confirmApp, showStarted), fresh())
    .post('/account/authenticator/remove', submit('security', removeApp, page), fresh())
    .post('/account/recovery-codes', submit('security', renewCodes, page), fresh())
    .post('/account/passkeys/:uid/rename', submit('security', renamePasskey, page), {
      page: true,
      limit: 'account_write',
    })
    .post('/account/passkeys/:uid/remove', submit('security', removePasskey, page), fresh())
    .post('/account/trusted-browsers/:uid/forget', submit('security', forget, page), {
      page: true,
      limit: 'account_write',
    })
    .post('/account/connections/:provider/remove', submit('security', disconnect, page), fresh())
    .get('/account/connect/:provider', view(connect), { page: true, fresh: true })
}
