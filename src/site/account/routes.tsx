import { Elysia, t } from 'elysia'

import type { Deps } from '../../deps.ts'
import { PLAYER_SCOPES, type WebsiteUser } from '../../domain/actor.ts'
import { AppError } from '../../errors.ts'
import { confirmSession, usesPassword } from '../../features/accounts/confirmation.ts'
import * as factors from '../../features/accounts/factors/factors.ts'
import { MePatch } from '../../features/accounts/model.ts'
import { disconnectProgram, listPrograms } from '../../features/accounts/oauth/programs.ts'
import { deleteAccount, exportData } from '../../features/accounts/personal-data/personal-data.ts'
import {
  createPlayerKey,
  deletePlayerKey,
  getMe,
  listPlayerKeys,
  updateMe,
} from '../../features/accounts/service.ts'
import { listSessions } from '../../features/accounts/sessions/session-list.ts'
import type { WebsiteAuth } from '../../features/accounts/sign-in/website.ts'
import { unlinkAccount } from '../../features/extstore/account/service.ts'
import { loadStorageUse } from '../../features/storage/quota.ts'
import type { HttpKit } from '../../http/kit.ts'
import { parsePage } from '../../lib/paging.ts'
import { textOf } from '../kit/form-state.ts'
import { parseNext } from '../kit/next.ts'
import { type Act, atPage, ownPages, type ShowPage } from '../kit/pages.ts'
import { checked, readForm, trimmed } from '../kit/read-form.ts'
import { browserOf, requireUser } from '../kit/signed-in.ts'
import { NewKeyPage } from './account-access.tsx'
import { type AccountFacts, AccountPage } from './account-page.tsx'
import { ConfirmItIsYouPage } from './second-step-page.tsx'
import { NewAppPage, NewCodesPage } from './security-section.tsx'
import { counted, passCookies } from './sign-in-routes.tsx'

const ALL = parsePage({ page_size: '50' })
/** Hidden tags are typed in one field. */
const ProfileForm = t.Omit(MePatch, ['hidden_tags'])
const { view, submit } = ownPages
const fresh = () => ({ page: true, fresh: true, limit: 'account_write' }) as const
const written = () => ({ page: true, limit: 'account_write' }) as const

/** The account settings. */
export function accountPages(kit: HttpKit, deps: Deps, websiteAuth: WebsiteAuth) {
  const { trustProxy } = deps.config
  const done = (name: string, section: string) => `/account?done=${name}#${section}`

  async function loadFacts(user: WebsiteUser): Promise<AccountFacts> {
    const [me, keys, programs, sessions, storage, hasPassword, signIn] = await Promise.all([
      getMe(deps, user),
      listPlayerKeys(deps, user, ALL),
      listPrograms(deps, user, ALL),
      listSessions(deps, user),
      loadStorageUse(deps, user.userUid),
      usesPassword(deps, user.userUid),
      factors.listFactors(deps, user),
    ])
    const lists = { keys: keys.items, programs: programs.items, sessions }
    return { me, ...lists, storage, hasPassword, factors: signIn }
  }

  const showAccount: ShowPage<WebsiteUser> = async (user, context) => (
    <AccountPage state={atPage(context, '/account')} {...await loadFacts(user)} />
  )

  const saveProfile: Act<WebsiteUser> = async (user, form) => {
    const read = { username: trimmed, developer_mode: checked, adult_content: checked }
    const tags = textOf(form, 'hidden_tags').split(',')
    await updateMe(deps, user, {
      ...readForm(ProfileForm, form, read),
      hidden_tags: tags.map((tag) => tag.trim()).filter((tag) => tag !== ''),
    })
    return done('profile', 'profile')
  }

  const changeEmail: Act<WebsiteUser> = async (_, form, context) => {
    const entered = { newEmail: textOf(form, 'newEmail').trim(), password: textOf(form, 'password') }
    await websiteAuth.changeEmail(browserOf(context, trustProxy), entered)
    return done('email', 'email')
  }

  const changePassword: Act<WebsiteUser> = async (_, form, context) => {
    const [currentPassword, newPassword] = [textOf(form, 'currentPassword'), textOf(form, 'newPassword')]
    const browser = browserOf(context, trustProxy)
    passCookies(context, await websiteAuth.changePassword(browser, { currentPassword, newPassword }))
    return done('password', 'password')
  }

  /** Rendered instead of redirected, because the key cannot be shown again. */
  const createKey: Act<WebsiteUser> = async (user, form, { visit }) => (
    <NewKeyPage visit={visit} newKey={await createPlayerKey(deps, user, parseKey(form))} />
  )

  const deleteKey: Act<WebsiteUser> = async (user, _, { params }) => {
    await deletePlayerKey(deps, user, params.uid ?? '')
    return done('key-deleted', 'keys')
  }

  const disconnect: Act<WebsiteUser> = async (user, _, { params }) => {
    await disconnectProgram(deps, user, params.client_id ?? '')
    return done('disconnected', 'programs')
  }

  const unlinkStore: Act<WebsiteUser> = async (user) => {
    await unlinkAccount(deps, user)
    return done('unlinked', 'store')
  }

  const endSessions: Act<WebsiteUser> = async (_, __, context) => {
    await websiteAuth.endOtherSessions(browserOf(context, trustProxy))
    return done('sessions', 'sessions')
  }

  const remove: Act<WebsiteUser> = async (user, form, context) => {
    const browser = browserOf(context, trustProxy)
    await deleteAccount(deps, user, () => websiteAuth.verifyPassword(browser, textOf(form, 'password')))
    passCookies(context, await websiteAuth.signOut(browser))
    return '/sign-in?done=deleted'
  }

  const showConfirm: ShowPage<WebsiteUser> = async (user, state) => {
    const next = parseNext(state.refused?.form.values.get('next') ?? state.query.next ?? null, '/account')
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
    const browser = browserOf(context, trustProxy)
    await confirmSession(deps, user, proof, (sent) => websiteAuth.verifyPassword(browser, sent))
    return parseNext(form.get('next'), '/account')
  }

  const startApp: Act<WebsiteUser> = async (user, _, state) => (
    <NewAppPage state={state} app={await factors.startAuthenticator(deps, user)} />
  )

  /** After a wrong code: the same QR code, because the app has it already. */
  const showStarted: ShowPage<WebsiteUser> = async (user, context) => {
    const app = await factors.findStartedApp(deps, user)
    return app ? <NewAppPage state={context} app={app} /> : await showAccount(user, context)
  }

  const confirmApp: Act<WebsiteUser> = async (user, form, { visit }) => {
    const { recovery_codes: codes } = await factors.confirmAuthenticator(deps, user, textOf(form, 'code'))
    return codes.length === 0 ? done('app', 'security') : <NewCodesPage {...{ visit, codes }} />
  }

  const removeApp: Act<WebsiteUser> = async (user) => {
    await factors.removeAuthenticator(deps, user)
    return done('factor-removed', 'security')
  }

  const renewCodes: Act<WebsiteUser> = async (user, _, { visit }) => {
    const { recovery_codes: codes } = await factors.renewRecoveryCodes(deps, user)
    return <NewCodesPage {...{ visit, codes }} />
  }

  const removePasskey: Act<WebsiteUser> = async (user, _, { params }) => {
    await factors.removePasskey(deps, user, params.uid ?? '')
    return done('factor-removed', 'security')
  }

  const renamePasskey: Act<WebsiteUser> = async (user, form, { params }) => {
    await factors.renamePasskey(deps, user, params.uid ?? '', textOf(form, 'name'))
    return done('renamed', 'security')
  }

  const disconnectProvider: Act<WebsiteUser> = async (user, _, { params }) => {
    await factors.disconnectProvider(deps, user, params.provider ?? '')
    return done('provider-removed', 'security')
  }

  const forget: Act<WebsiteUser> = async (user, _, { params }) => {
    await factors.forgetBrowser(deps, user, params.uid ?? '')
    return done('forgotten', 'security')
  }

  const connect: ShowPage<WebsiteUser> = async (_, context) => {
    const browser = browserOf(context, trustProxy)
    const outcome = await websiteAuth.leaveTo(
      browser,
      context.params.provider ?? '',
      done('connected', 'security'),
      true,
    )
    passCookies(context, outcome)
    return String(outcome.body.url)
  }

  return (
    new Elysia({ name: 'account-pages' })
      .use(kit)
      .get('/account', view(showAccount), { page: true })
      // A rejected form leaves its address in the browser; opening it again leads to the account page.
      .get('/account/:section', ({ redirect }) => redirect('/account', 303), { page: true })
      .post('/account/profile', submit('profile', saveProfile, showAccount), written())
      .post('/account/email', submit('email', changeEmail, showAccount), counted())
      .post('/account/password', submit('password', changePassword, showAccount), counted())
      .post('/account/keys', submit('keys', createKey, showAccount), {
        page: true,
        fresh: true,
        limit: 'player_key',
      })
      .post('/account/keys/:uid/delete', submit('keys', deleteKey, showAccount), written())
      .post('/account/programs/:client_id/disconnect', submit('programs', disconnect, showAccount), written())
      .post('/account/store/unlink', submit('store', unlinkStore, showAccount), written())
      .post('/account/sessions/end', submit('sessions', endSessions, showAccount), written())
      .get(
        '/account/export',
        async ({ visit, set }) => {
          const data = await exportData(deps, requireUser(visit.actor))
          set.headers['content-type'] = 'application/json'
          set.headers['content-disposition'] = 'attachment; filename="playshelf-account.json"'
          set.headers['cache-control'] = 'no-store'
          return new Response(JSON.stringify(data, null, 2))
        },
        { page: true, fresh: true, limit: 'account_export' },
      )
      .post('/account/delete', submit('delete', remove, showAccount), counted())
      .get('/confirm', view(showConfirm), { page: true })
      .post('/confirm', submit('confirm', confirm, showConfirm), counted())
      .post('/account/authenticator', submit('security', startApp, showAccount), fresh())
      .post('/account/authenticator/confirm', submit('security', confirmApp, showStarted), fresh())
      .post('/account/authenticator/remove', submit('security', removeApp, showAccount), fresh())
      .post('/account/recovery-codes', submit('security', renewCodes, showAccount), fresh())
      .post('/account/passkeys/:uid/rename', submit('security', renamePasskey, showAccount), written())
      .post('/account/passkeys/:uid/remove', submit('security', removePasskey, showAccount), fresh())
      .post('/account/trusted-browsers/:uid/forget', submit('security', forget, showAccount), written())
      .post(
        '/account/connections/:provider/remove',
        submit('security', disconnectProvider, showAccount),
        fresh(),
      )
      .get('/account/connect/:provider', view(connect), { page: true, fresh: true })
  )
}

function parseKey(form: URLSearchParams) {
  const sent = form.getAll('scopes')
  const scopes = PLAYER_SCOPES.filter((scope) => sent.includes(scope))
  if (scopes.length === 0) {
    throw new AppError('invalid_request', { message: 'Choose at least one thing that the key may do.' })
  }
  return { label: textOf(form, 'label'), scopes }
}
