import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import { PLAYER_SCOPES, type WebsiteUser } from '../../domain/actor.ts'
import { AppError, invalidField } from '../../errors.ts'
import { usesPassword } from '../../features/accounts/confirmation/own-password.ts'
import { listFactors } from '../../features/accounts/factors/factors.ts'
import { USERNAME_PATTERN, USERNAME_RULE } from '../../features/accounts/model.ts'
import { disconnectProgram, listPrograms } from '../../features/accounts/oauth/programs.ts'
import { deleteAccount } from '../../features/accounts/personal-data/deletion.ts'
import { exportData } from '../../features/accounts/personal-data/personal-data.ts'
import {
  createPlayerKey,
  deletePlayerKey,
  getMe,
  listPlayerKeys,
  updateMe,
} from '../../features/accounts/service.ts'
import { listSessions } from '../../features/accounts/sessions/session-list.ts'
import type { OpenAuth } from '../../features/accounts/sign-in/open-auth.ts'
import type { WebsiteAuth } from '../../features/accounts/sign-in/website.ts'
import { unlinkAccount } from '../../features/extstore/account/service.ts'
import { readStorageUse } from '../../features/storage/quota.ts'
import type { HttpKit } from '../../http/kit.ts'
import { readPage } from '../../lib/paging.ts'
import { textOf } from '../kit/form-state.ts'
import { type Act, atPage, ownPages, type ShowPage } from '../kit/pages.ts'
import { browserOf, requireUser } from '../kit/signed-in.ts'
import { NewKeyPage } from './account-access.tsx'
import { type AccountFacts, AccountPage } from './account-page.tsx'
import { securityPages } from './security-routes.tsx'
import { counted, passCookies } from './sign-in-routes.tsx'

const ALL = readPage({ page_size: '50' })
const USERNAME = new RegExp(USERNAME_PATTERN)
const { view, submit } = ownPages

interface Parts {
  openAuth: OpenAuth
  websiteAuth: WebsiteAuth
}

/** The account settings. */
export function accountPages(kit: HttpKit, deps: Deps, { openAuth, websiteAuth }: Parts) {
  const { trustProxy } = deps.config
  const done = (name: string, section: string) => `/account?done=${name}#${section}`

  async function readFacts(user: WebsiteUser): Promise<AccountFacts> {
    const [me, keys, programs, sessions, storage, hasPassword, factors] = await Promise.all([
      getMe(deps, user),
      listPlayerKeys(deps, user, ALL),
      listPrograms(deps, user, ALL),
      listSessions(deps, user),
      readStorageUse(deps, user.userUid),
      usesPassword(deps, user.userUid),
      listFactors(deps, user),
    ])
    return {
      me,
      keys: keys.items,
      programs: programs.items,
      sessions,
      storage,
      hasPassword,
      factors,
    }
  }

  const showAccount: ShowPage<WebsiteUser> = async (user, context) => (
    <AccountPage state={atPage(context, '/account')} {...await readFacts(user)} />
  )

  const saveProfile: Act<WebsiteUser> = async (user, form) => {
    await updateMe(deps, user, readProfile(form, user))
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
    <NewKeyPage visit={visit} newKey={await createPlayerKey(deps, user, readKey(form))} />
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
    const confirmation = { headers: context.request.headers, password: textOf(form, 'password') }
    await deleteAccount(deps, openAuth, user, confirmation)
    passCookies(context, await websiteAuth.signOut(browserOf(context, trustProxy)))
    return '/sign-in?done=deleted'
  }

  const pages = new Elysia({ name: 'account-pages', prefix: '/account' })
    .use(kit)
    .get('/', view(showAccount), { page: true })
    // A rejected form leaves its address in the browser; opening it again leads to the account page.
    .get('/:section', ({ redirect }) => redirect('/account', 303), { page: true })
    .post('/profile', submit('profile', saveProfile, showAccount), { page: true, limit: 'account_write' })
    .post('/email', submit('email', changeEmail, showAccount), counted())
    .post('/password', submit('password', changePassword, showAccount), counted())
    .post('/keys', submit('keys', createKey, showAccount), {
      page: true,
      fresh: true,
      limit: 'player_key',
    })
    .post('/keys/:uid/delete', submit('keys', deleteKey, showAccount), { page: true, limit: 'account_write' })
    .post('/programs/:client_id/disconnect', submit('programs', disconnect, showAccount), {
      page: true,
      limit: 'account_write',
    })
    .post('/store/unlink', submit('store', unlinkStore, showAccount), { page: true, limit: 'account_write' })
    .post('/sessions/end', submit('sessions', endSessions, showAccount), {
      page: true,
      limit: 'account_write',
    })
    .get(
      '/export',
      async ({ visit, set }) => {
        const data = await exportData(deps, requireUser(visit.actor))
        set.headers['content-type'] = 'application/json'
        set.headers['content-disposition'] = 'attachment; filename="playshelf-account.json"'
        set.headers['cache-control'] = 'no-store'
        return new Response(JSON.stringify(data, null, 2))
      },
      { page: true, fresh: true, limit: 'account_export' },
    )
    .post('/delete', submit('delete', remove, showAccount), counted())
  const security = securityPages(kit, deps, { websiteAuth, showAccount })
  return new Elysia({ name: 'account-area' }).use(pages).use(security)
}

/** Browsers do not send unticked boxes. */
function readProfile(form: URLSearchParams, user: WebsiteUser) {
  const username = textOf(form, 'username').trim()
  if (!USERNAME.test(username)) {
    throw invalidField('username', `${USERNAME_RULE}.`)
  }
  const tags = textOf(form, 'hidden_tags').split(',')
  return {
    ...(username === user.username ? {} : { username }),
    developer_mode: form.has('developer_mode'),
    adult_content: form.has('adult_content'),
    hidden_tags: tags.map((tag) => tag.trim()).filter((tag) => tag !== ''),
  }
}

function readKey(form: URLSearchParams) {
  const sent = form.getAll('scopes')
  const scopes = PLAYER_SCOPES.filter((scope) => sent.includes(scope))
  if (scopes.length === 0) {
    throw new AppError('invalid_request', { message: 'Choose at least one thing that the key may do.' })
  }
  return { label: textOf(form, 'label'), scopes }
}
