import type { Deps } from '../../deps.ts'
import { invalidField } from '../../errors.ts'
import { StorageLimitInput } from '../../features/operate/accounts/model.ts'
import {
  clearProfileOf,
  getAccount,
  listAccounts,
  resetSignIn,
  restore,
  setStorageLimit,
  suspend,
} from '../../features/operate/accounts/service.ts'
import { loadStorageUse } from '../../features/storage/quota.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { parsePage } from '../../lib/paging.ts'
import { parseBytes } from '../../lib/text/show.ts'
import { type FieldReader, maybeText, readForm, textOf } from '../kit/form-state.ts'
import { atPage } from '../kit/pages.ts'
import { AccountsPage, StorageLimitPage } from './accounts-page.tsx'
import {
  ConfirmPage,
  type OperatorAct,
  operatorAct,
  type OperatorPage,
  operatorPages,
  parseReason,
} from './operator-form.tsx'

export function operateAccountPages(kit: HttpKit, deps: Deps) {
  const { view, submit } = operatorPages(deps)
  const listPath = (uid: string, done: string) =>
    `/operate/accounts?q=${encodeURIComponent(uid)}&done=${done}`

  const showAccounts: OperatorPage = async (_, context) => {
    const state = atPage(context, '/operate/accounts')
    const { query } = state
    const search = { q: query.q?.trim() ?? '', suspendedOnly: query.suspended === 'true' }
    const accounts = await listAccounts(deps, search, parsePage(query))
    return <AccountsPage {...{ state, accounts }} />
  }

  const showSuspend: OperatorPage = async (_, state) => {
    const { uid = '' } = state.params
    const { username, name } = await getAccount(deps, uid)
    return (
      <ConfirmPage
        {...{ state, tab: '/operate/accounts', back: `/operate/accounts?q=${uid}` }}
        title={`Suspend ${username}`}
        act="Suspend account"
        action={`/operate/accounts/${uid}/suspend`}
      >
        <p>
          <strong>{username}</strong> ({name}) cannot sign in any more. Sessions and running uploads end at
          once; player keys, connected programs and deploy keys stop working until you undo this. Published
          pages stay unless you take them down.
        </p>
      </ConfirmPage>
    )
  }

  const suspendAccount: OperatorAct = async (operator, form, { params: { uid = '' } }) => {
    await suspend(deps, operator, uid, parseReason(form))
    return listPath(uid, 'suspended')
  }

  const showReset: OperatorPage = async (_, state) => {
    const { uid = '' } = state.params
    const { username, name, email } = await getAccount(deps, uid)
    return (
      <ConfirmPage
        {...{ state, tab: '/operate/accounts', back: `/operate/accounts?q=${uid}` }}
        title={`Reset the sign-in factors of ${username}`}
        act="Reset sign-in factors"
        action={`/operate/accounts/${uid}/reset-factors`}
      >
        <p>
          For somebody who lost their devices. The passkeys, the authenticator app and the recovery codes of{' '}
          <strong>{username}</strong> ({name}, {email}) are removed and every browser is signed out; the
          password alone signs in again. Make sure that it is this person who asks you.
        </p>
      </ConfirmPage>
    )
  }

  const resetFactors: OperatorAct = async (operator, form, { params: { uid = '' } }) => {
    await resetSignIn(deps, operator, uid, parseReason(form))
    return listPath(uid, 'factors')
  }

  const showClear: OperatorPage = async (_, state) => {
    const { uid = '' } = state.params
    const { username } = await getAccount(deps, uid)
    return (
      <ConfirmPage
        {...{ state, tab: '/operate/accounts', back: `/operate/accounts?q=${uid}` }}
        title={`Clear the profile of ${username}`}
        act="Clear profile"
        action={`/operate/accounts/${uid}/clear-profile`}
      >
        <p>
          Display name, picture, banner, text, links and featured listing of <strong>{username}</strong> are
          removed for good. The account keeps its username and its listings, and can set new ones.
        </p>
      </ConfirmPage>
    )
  }

  const clear: OperatorAct = async (operator, form, { params: { uid = '' } }) => {
    await clearProfileOf(deps, operator, uid, parseReason(form))
    return listPath(uid, 'cleared')
  }

  const restoreAccount: OperatorAct = async (operator, _, { params: { uid = '' } }) => {
    await restore(deps, operator, uid, null)
    return listPath(uid, 'restored')
  }

  const showStorage: OperatorPage = async (_, state) => {
    const account = await getAccount(deps, state.params.uid ?? '')
    const use = await loadStorageUse(deps, account.uid)
    return <StorageLimitPage {...{ state, account, use, standard: deps.config.accountStorage }} />
  }

  const setLimit: OperatorAct = async (operator, form, { params: { uid = '' } }) => {
    const input = readForm(StorageLimitInput, form, { limit: size, reason: maybeText })
    await setStorageLimit(deps, operator, uid, input)
    return listPath(uid, 'storage')
  }

  return createRoutes(kit, { name: 'operate-account-pages', prefix: '/accounts' })
    .get('', view(showAccounts), { operatorPage: true })
    .get('/:uid/suspend', view(showSuspend), { operatorPage: true })
    .post('/:uid/suspend', submit('suspend', suspendAccount, showSuspend), operatorAct())
    .post('/:uid/restore', submit('restore', restoreAccount, showAccounts), operatorAct())
    .get('/:uid/reset-factors', view(showReset), { operatorPage: true })
    .post('/:uid/reset-factors', submit('reset', resetFactors, showReset), operatorAct())
    .get('/:uid/clear-profile', view(showClear), { operatorPage: true })
    .post('/:uid/clear-profile', submit('clear', clear, showClear), operatorAct())
    .get('/:uid/storage', view(showStorage), { operatorPage: true })
    .post('/:uid/storage', submit('storage', setLimit, showStorage), operatorAct())
}

const size: FieldReader = (form, name) => {
  const given = textOf(form, name).trim()
  const bytes = given === '' ? null : parseBytes(given)
  if (given !== '' && bytes === null) throw invalidField(name, 'Write a size like 200 GB, or leave it empty.')
  return bytes
}
