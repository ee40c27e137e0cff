import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import { PLAYER_SCOPES, type WebsiteUser } from '../../domain/actor.ts'
import { AppError, invalidField } from '../../errors.ts'
import { type NewPlayerKey, USERNAME_PATTERN, USERNAME_RULE } from '../../features/accounts/model.ts'
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
import type { Visit } from '../../http/visit.ts'
import { readPage } from '../../lib/paging.ts'
import { attempt, type Refused, textOf } from '../kit/form-state.ts'
import { type ResponseSettings, show } from '../kit/render.ts'
import { browserOf, requireUser, signInPath } from '../kit/signed-in.ts'
import { type AccountFacts, type AccountForm, AccountPage } from './account-page.tsx'
import { passCookies } from './sign-in-routes.tsx'

const ALL = readPage({ page_size: '50' })
const USERNAME = new RegExp(USERNAME_PATTERN)
const submitted = { limit: 'accounts', page: true } as const

/** The messages shown after a form of the page succeeded. */
const NOTICES: Readonly<Record<string, string>> = {
  welcome: 'Welcome to Playshelf. Open the link in the mail we sent you to confirm your address.',
  profile: 'Your profile is saved.',
  email: 'Open the link we sent to the new address and confirm it there; until then nothing changes.',
  password: 'Your password is changed, and everything that used the old one has ended.',
  'key-deleted': 'The key is deleted and no longer works.',
  disconnected: 'The program is disconnected and can no longer use your account.',
  linked: 'Your store account is linked.',
  unlinked: 'Your store account is unlinked.',
  sessions: 'All other browsers are signed out.',
}

interface Parts {
  openAuth: OpenAuth
  websiteAuth: WebsiteAuth
}

/** The account settings. */
export function accountPages(kit: HttpKit, deps: Deps, { openAuth, websiteAuth }: Parts) {
  const { trustProxy } = deps.config
  const done = (name: string, section: string) => `/account?done=${name}#${section}`

  async function readFacts(user: WebsiteUser): Promise<AccountFacts> {
    const [me, keys, programs, sessions, storage] = await Promise.all([
      getMe(deps, user),
      listPlayerKeys(deps, user, ALL),
      listPrograms(deps, user, ALL),
      listSessions(deps, user),
      readStorageUse(deps, user.userUid),
    ])
    return { me, keys: keys.items, programs: programs.items, sessions, storage }
  }

  async function showRefused(visit: Visit, set: ResponseSettings, name: AccountForm, refused: Refused) {
    const { form, status } = refused
    const facts = await readFacts(requireUser(visit.actor))
    const page = <AccountPage {...{ visit, notice: null, refused: { name, form }, ...facts }} />
    return show(visit, set, page, { status, isSecret: true })
  }

  return (
    new Elysia({ name: 'account-pages', prefix: '/account' })
      .use(kit)
      .get(
        '/',
        async ({ visit, query, set, redirect }) => {
          if (visit.actor.kind !== 'user') return redirect(signInPath(visit), 303)
          const notice = NOTICES[query.done ?? ''] ?? null
          return show(visit, set, <AccountPage {...{ visit, notice, ...(await readFacts(visit.actor)) }} />)
        },
        { page: true },
      )
      // A rejected form leaves its address in the browser; opening it again leads to the account page.
      .get('/:section', ({ redirect }) => redirect('/account', 303), { page: true })
      .post(
        '/profile',
        async ({ visit, form, set, redirect }) => {
          const user = requireUser(visit.actor)
          const refused = await attempt(form, () => updateMe(deps, user, readProfile(form, user)))
          if (!refused) return redirect(done('profile', 'profile'), 303)
          return await showRefused(visit, set, 'profile', refused)
        },
        { page: true },
      )
      .post(
        '/email',
        async ({ visit, form, server, set, redirect }) => {
          requireUser(visit.actor)
          const entered = { newEmail: textOf(form, 'newEmail').trim(), password: textOf(form, 'password') }
          const browser = browserOf(visit, server, trustProxy)
          const refused = await attempt(form, () => websiteAuth.changeEmail(browser, entered))
          if (!refused) return redirect(done('email', 'email'), 303)
          return await showRefused(visit, set, 'email', refused)
        },
        submitted,
      )
      .post(
        '/password',
        async ({ visit, form, server, set, redirect }) => {
          requireUser(visit.actor)
          const entered = {
            currentPassword: textOf(form, 'currentPassword'),
            newPassword: textOf(form, 'newPassword'),
          }
          const refused = await attempt(form, async () => {
            passCookies(set, await websiteAuth.changePassword(browserOf(visit, server, trustProxy), entered))
          })
          if (!refused) return redirect(done('password', 'password'), 303)
          return await showRefused(visit, set, 'password', refused)
        },
        submitted,
      )
      .post(
        '/keys',
        async ({ visit, form, set }) => {
          const user = requireUser(visit.actor)
          const made: NewPlayerKey[] = []
          const refused = await attempt(form, async () => {
            made.push(await createPlayerKey(deps, user, readKey(form)))
          })
          if (refused) return await showRefused(visit, set, 'keys', refused)
          // Rendered instead of redirected, because the key cannot be shown again.
          const facts = { ...(await readFacts(user)), ...(made[0] && { newKey: made[0] }) }
          const page = <AccountPage {...{ visit, notice: null, ...facts }} />
          return show(visit, set, page, { status: 201, isSecret: true })
        },
        { page: true, limit: 'player_key' },
      )
      .post(
        '/keys/:uid/delete',
        async ({ params, visit, redirect }) => {
          await deletePlayerKey(deps, requireUser(visit.actor), params.uid)
          return redirect(done('key-deleted', 'keys'), 303)
        },
        { page: true },
      )
      .post(
        '/programs/:client_id/disconnect',
        async ({ params, visit, redirect }) => {
          await disconnectProgram(deps, requireUser(visit.actor), params.client_id)
          return redirect(done('disconnected', 'programs'), 303)
        },
        { page: true },
      )
      .post(
        '/store/unlink',
        async ({ visit, redirect }) => {
          await unlinkAccount(deps, requireUser(visit.actor))
          return redirect(done('unlinked', 'store'), 303)
        },
        { page: true },
      )
      .post(
        '/sessions/end',
        async ({ visit, server, redirect }) => {
          requireUser(visit.actor)
          await websiteAuth.endOtherSessions(browserOf(visit, server, trustProxy))
          return redirect(done('sessions', 'sessions'), 303)
        },
        { page: true },
      )
      .get(
        '/export',
        async ({ visit, set }) => {
          const data = await exportData(deps, requireUser(visit.actor))
          set.headers['content-type'] = 'application/json'
          set.headers['content-disposition'] = 'attachment; filename="playshelf-account.json"'
          set.headers['cache-control'] = 'no-store'
          return new Response(JSON.stringify(data, null, 2))
        },
        { page: true, limit: 'account_export' },
      )
      .post(
        '/delete',
        async ({ visit, form, server, set, redirect }) => {
          const user = requireUser(visit.actor)
          const confirmation = { headers: visit.request.headers, password: textOf(form, 'password') }
          const refused = await attempt(form, () => deleteAccount(deps, openAuth, user, confirmation))
          if (!refused) {
            passCookies(set, await websiteAuth.signOut(browserOf(visit, server, trustProxy)))
            return redirect('/sign-in?done=deleted', 303)
          }
          return await showRefused(visit, set, 'delete', refused)
        },
        submitted,
      )
  )
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
