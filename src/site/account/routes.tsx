import { t } from 'elysia'

import type { Deps } from '../../deps.ts'
import { type PersonImage, PLAYER_SCOPES, type WebsiteUser } from '../../domain/actor.ts'
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
import { listOwnPublished } from '../../features/catalog/pages/service.ts'
import { createFeedUrl, endFeedUrl, findFeedKeyDate } from '../../features/community/feeds/service.ts'
import { unlinkAccount } from '../../features/extstore/account/service.ts'
import { receivePersonImage, removePersonImage } from '../../features/people/pictures/service.ts'
import { summarizeSaves } from '../../features/saves/library/service.ts'
import { loadStorageUse } from '../../features/storage/quota.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { parsePage } from '../../lib/paging.ts'
import { splitList } from '../kit/field-words.ts'
import { checked, lines, parseEntries, placeLines, readForm, textOf, trimmed } from '../kit/form-state.ts'
import { parseNext } from '../kit/next.ts'
import {
  type Act,
  atPage,
  browserOf,
  ownPages,
  type PageContext,
  requireUser,
  type ShowPage,
} from '../kit/pages.ts'
import { NewFeedPage, NewKeyPage } from './account-access.tsx'
import { type AccountPageName, sectionPath } from './account-frame.tsx'
import { DataPage, KeysPage, OverviewPage, PrivacyPage, SecurityPage } from './account-page.tsx'
import { LINK_PARTS, ProfilePage } from './profile-page.tsx'
import { createSavesDeletion } from './saves/routes.tsx'
import { ConfirmItIsYouPage } from './second-step-page.tsx'
import { NewAppPage, NewCodesPage } from './security-section.tsx'
import { counted, passCookies } from './sign-in-routes.tsx'

const ALL = parsePage({ page_size: '50' })
const ProfileForm = t.Pick(MePatch, [
  'display_name',
  'username',
  'developer_mode',
  'bio',
  'links',
  'featured',
])
const PROFILE_READERS = {
  username: trimmed,
  developer_mode: checked,
  bio: lines,
  links: (form: URLSearchParams, name: string) => parseEntries(form, name, LINK_PARTS),
}
const { view, submit } = ownPages
const fresh = () => ({ page: true, fresh: true, limit: 'account_write' }) as const
const written = () => ({ page: true, limit: 'account_write' }) as const
const uploaded = () => ({ rawBody: true, page: true, limit: 'image_upload' }) as const

/** The account settings. */
export function accountPages(kit: HttpKit, deps: Deps, websiteAuth: WebsiteAuth) {
  const { trustProxy } = deps.config

  const at = (context: PageContext, page: AccountPageName) => atPage(context, `/account/${page}`)

  /** An act that needs a second factor leads here with `needs`. */
  const showOverview: ShowPage<WebsiteUser> = (user, state) =>
    state.query.needs === undefined ? (
      <OverviewPage {...{ state, user }} />
    ) : (
      `/account/security?needs=${encodeURIComponent(state.query.needs)}#security`
    )

  const showProfile: ShowPage<WebsiteUser> = async (user, context) => {
    const [me, published] = await Promise.all([getMe(deps, user), listOwnPublished(deps.db, user)])
    return <ProfilePage state={at(context, 'profile')} {...{ user, me, published }} />
  }

  const showSecurity: ShowPage<WebsiteUser> = async (user, context) => {
    const [me, sessions, hasPassword, signIn] = await Promise.all([
      getMe(deps, user),
      listSessions(deps, user),
      usesPassword(deps, user.userUid),
      factors.listFactors(deps, user),
    ])
    const facts = { me, sessions, hasPassword, factors: signIn }
    return <SecurityPage state={at(context, 'security')} user={user} {...facts} />
  }

  const showPrivacy: ShowPage<WebsiteUser> = async (user, context) => {
    const { refused, query } = context
    const next = parseNext(refused ? (refused.form.values.get('next') ?? null) : (query.next ?? null), '')
    const [me, feedSince] = await Promise.all([getMe(deps, user), findFeedKeyDate(deps.db, user.userUid)])
    return <PrivacyPage state={at(context, 'privacy')} {...{ user, next, me, feedSince }} />
  }

  const showKeys: ShowPage<WebsiteUser> = async (user, context) => {
    const [keys, programs] = await Promise.all([
      listPlayerKeys(deps, user, ALL),
      listPrograms(deps, user, ALL),
    ])
    return <KeysPage state={at(context, 'keys')} user={user} keys={keys.items} programs={programs.items} />
  }

  const showData: ShowPage<WebsiteUser> = async (user, context) => {
    const [storage, saves, hasPassword] = await Promise.all([
      loadStorageUse(deps, user.userUid),
      summarizeSaves(deps, user.userUid),
      usesPassword(deps, user.userUid),
    ])
    return <DataPage state={at(context, 'data')} {...{ user, storage, saves, hasPassword }} />
  }

  const saveProfile: Act<WebsiteUser> = async (user, form) => {
    try {
      await updateMe(deps, user, readForm(ProfileForm, form, PROFILE_READERS))
    } catch (error) {
      throw placeLines(error)
    }
    return sectionPath('profile', 'profile')
  }

  const savePrivacy: Act<WebsiteUser> = async (user, form) => {
    const hidden_tags = splitList(textOf(form, 'hidden_tags'))
    const adult_content = form.has('adult_content')
    await updateMe(deps, user, { adult_content, hidden_tags })
    const saved = sectionPath('privacy', 'privacy')
    return adult_content ? parseNext(form.get('next'), saved) : saved
  }

  const saveFollows: Act<WebsiteUser> = async (user, form) => {
    await updateMe(deps, user, { follow_library: form.has('follow_library') })
    return sectionPath('follows', 'follows')
  }

  const changeFeed: Act<WebsiteUser> = async ({ userUid }, form, { visit }) => {
    const act = form.get('act')
    if (act === 'make') return <NewFeedPage visit={visit} url={await createFeedUrl(deps, userUid)} />
    if (act !== 'end') throw new AppError('invalid_request', { message: 'Choose to make or to end it.' })
    await endFeedUrl(deps.db, userUid)
    return sectionPath('feed', 'feed-ended')
  }

  const upload =
    (kind: PersonImage): Act<WebsiteUser> =>
    async (user, _, context) => {
      await receivePersonImage(deps, user, kind, context)
      return sectionPath(kind, kind)
    }

  const removeImage =
    (kind: PersonImage): Act<WebsiteUser> =>
    async (user) => {
      await removePersonImage(deps, user.userUid, kind)
      return sectionPath(kind, `${kind}-removed`)
    }

  const changeEmail: Act<WebsiteUser> = async (_, form, context) => {
    const entered = { newEmail: textOf(form, 'newEmail').trim(), password: textOf(form, 'password') }
    await websiteAuth.changeEmail(browserOf(context, trustProxy), entered)
    return sectionPath('email', 'email')
  }

  const changePassword: Act<WebsiteUser> = async (_, form, context) => {
    const [currentPassword, newPassword] = [textOf(form, 'currentPassword'), textOf(form, 'newPassword')]
    const browser = browserOf(context, trustProxy)
    passCookies(context, await websiteAuth.changePassword(browser, { currentPassword, newPassword }))
    return sectionPath('password', 'password')
  }

  /** Rendered instead of redirected, because the key cannot be shown again. */
  const createKey: Act<WebsiteUser> = async (user, form, { visit }) => (
    <NewKeyPage visit={visit} newKey={await createPlayerKey(deps, user, parseKey(form))} />
  )

  const deleteKey: Act<WebsiteUser> = async (user, _, { params }) => {
    await deletePlayerKey(deps, user, params.uid ?? '')
    return sectionPath('keys', 'key-deleted')
  }

  const disconnect: Act<WebsiteUser> = async (user, _, { params }) => {
    await disconnectProgram(deps, user, params.client_id ?? '')
    return sectionPath('programs', 'disconnected')
  }

  const unlinkStore: Act<WebsiteUser> = async (user) => {
    await unlinkAccount(deps, user)
    return sectionPath('store', 'unlinked')
  }

  const endSessions: Act<WebsiteUser> = async (_, __, context) => {
    await websiteAuth.endOtherSessions(browserOf(context, trustProxy))
    return sectionPath('sessions', 'sessions')
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
    return app ? <NewAppPage state={context} app={app} /> : await showSecurity(user, context)
  }

  const confirmApp: Act<WebsiteUser> = async (user, form, { visit }) => {
    const { recovery_codes: codes } = await factors.confirmAuthenticator(deps, user, textOf(form, 'code'))
    return codes.length === 0 ? sectionPath('security', 'app') : <NewCodesPage {...{ visit, codes }} />
  }

  const removeApp: Act<WebsiteUser> = async (user) => {
    await factors.removeAuthenticator(deps, user)
    return sectionPath('security', 'factor-removed')
  }

  const renewCodes: Act<WebsiteUser> = async (user, _, { visit }) => {
    const { recovery_codes: codes } = await factors.renewRecoveryCodes(deps, user)
    return <NewCodesPage {...{ visit, codes }} />
  }

  const removePasskey: Act<WebsiteUser> = async (user, _, { params }) => {
    await factors.removePasskey(deps, user, params.uid ?? '')
    return sectionPath('security', 'factor-removed')
  }

  const renamePasskey: Act<WebsiteUser> = async (user, form, { params }) => {
    await factors.renamePasskey(deps, user, params.uid ?? '', textOf(form, 'name'))
    return sectionPath('security', 'renamed')
  }

  const disconnectProvider: Act<WebsiteUser> = async (user, _, { params }) => {
    await factors.disconnectProvider(deps, user, params.provider ?? '')
    return sectionPath('security', 'provider-removed')
  }

  const forget: Act<WebsiteUser> = async (user, _, { params }) => {
    await factors.forgetBrowser(deps, user, params.uid ?? '')
    return sectionPath('security', 'forgotten')
  }

  const connect: ShowPage<WebsiteUser> = async (_, context) => {
    const browser = browserOf(context, trustProxy)
    const outcome = await websiteAuth.leaveTo(
      browser,
      context.params.provider ?? '',
      sectionPath('security', 'connected'),
      true,
    )
    passCookies(context, outcome)
    return String(outcome.body.url)
  }

  return createRoutes(kit, { name: 'account-pages' })
    .get('/account', view(showOverview), { page: true })
    .get('/account/profile', view(showProfile), { page: true })
    .get('/account/security', view(showSecurity), { page: true })
    .get('/account/privacy', view(showPrivacy), { page: true })
    .get('/account/keys', view(showKeys), { page: true })
    .get('/account/data', view(showData), { page: true })
    .post('/account/profile', submit('profile', saveProfile, showProfile), written())
    .post('/account/picture', submit('picture', upload('picture'), showProfile), uploaded())
    .post('/account/picture/remove', submit('picture', removeImage('picture'), showProfile), written())
    .post('/account/banner', submit('banner', upload('banner'), showProfile), uploaded())
    .post('/account/banner/remove', submit('banner', removeImage('banner'), showProfile), written())
    .post('/account/privacy', submit('privacy', savePrivacy, showPrivacy), written())
    .post('/account/feed', submit('feed', changeFeed, showPrivacy), written())
    .post('/account/follows', submit('follows', saveFollows, showPrivacy), written())
    .post('/account/email', submit('email', changeEmail, showSecurity), counted())
    .post('/account/password', submit('password', changePassword, showSecurity), counted())
    .post('/account/keys', submit('keys', createKey, showKeys), {
      page: true,
      fresh: true,
      limit: 'player_key',
    })
    .post('/account/keys/:uid/delete', submit('keys', deleteKey, showKeys), written())
    .post('/account/programs/:client_id/disconnect', submit('programs', disconnect, showKeys), written())
    .post('/account/store/unlink', submit('store', unlinkStore, showPrivacy), written())
    .post('/account/sessions/end', submit('sessions', endSessions, showSecurity), written())
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
    .post('/account/saves/delete', submit('saves', createSavesDeletion(deps), showData), written())
    .post('/account/delete', submit('delete', remove, showData), counted())
    .get('/confirm', view(showConfirm), { page: true })
    .post('/confirm', submit('confirm', confirm, showConfirm), counted())
    .post('/account/authenticator', submit('security', startApp, showSecurity), fresh())
    .post('/account/authenticator/confirm', submit('security', confirmApp, showStarted), fresh())
    .post('/account/authenticator/remove', submit('security', removeApp, showSecurity), fresh())
    .post('/account/recovery-codes', submit('security', renewCodes, showSecurity), fresh())
    .post('/account/passkeys/:uid/rename', submit('security', renamePasskey, showSecurity), written())
    .post('/account/passkeys/:uid/remove', submit('security', removePasskey, showSecurity), fresh())
    .post('/account/trusted-browsers/:uid/forget', submit('security', forget, showSecurity), written())
    .post(
      '/account/connections/:provider/remove',
      submit('security', disconnectProvider, showSecurity),
      fresh(),
    )
    .get('/account/connect/:provider', view(connect), { page: true, fresh: true })
}

function parseKey(form: URLSearchParams) {
  const sent = form.getAll('scopes')
  const scopes = PLAYER_SCOPES.filter((scope) => sent.includes(scope))
  if (scopes.length === 0) {
    throw new AppError('invalid_request', { message: 'Choose at least one thing that the key may do.' })
  }
  return { label: textOf(form, 'label'), scopes }
}
