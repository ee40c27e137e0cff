import { Elysia } from 'elysia'

import { invalidField } from '../../errors.ts'
import { StorageLimitInput } from '../../features/operate/accounts/model.ts'
import {
  getAccount,
  listAccounts,
  resetSignIn,
  restore,
  setStorageLimit,
  suspend,
} from '../../features/operate/accounts/service.ts'
import type { Operate } from '../../features/operate/operate.ts'
import { readStorageUse } from '../../features/storage/quota.ts'
import type { HttpKit } from '../../http/kit.ts'
import { readPage } from '../../lib/paging.ts'
import { parseBytes } from '../../lib/text/byte-sizes.ts'
import { checkForm, textOf } from '../kit/form-state.ts'
import { atPage } from '../kit/pages.ts'
import { AccountsPage } from './accounts-page.tsx'
import { ConfirmPage } from './confirm-page.tsx'
import {
  type OperatorAct,
  operatorAct,
  type OperatorPage,
  operatorPages,
  readReason,
} from './operator-form.ts'
import { StorageLimitPage } from './storage-limit.tsx'

export function operateAccountPages(kit: HttpKit, operate: Operate) {
  const { view, submit } = operatorPages(operate)
  const listPath = (uid: string, done: string) =>
    `/operate/accounts?q=${encodeURIComponent(uid)}&done=${done}`

  const showAccounts: OperatorPage = async (_, context) => {
    const state = atPage(context, '/operate/accounts')
    const { query } = state
    const search = { q: query.q?.trim() ?? '', suspendedOnly: query.suspended === 'true' }
    const accounts = await listAccounts(operate, search, readPage(query))
    return <AccountsPage {...{ state, accounts }} />
  }

  const showSuspend: OperatorPage = async (_, state) => {
    const { uid = '' } = state.params
    const { username, name } = await getAccount(operate, uid)
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
    await suspend(operate, operator, uid, readReason(form))
    return listPath(uid, 'suspended')
  }

  const showReset: OperatorPage = async (_, state) => {
    const { uid = '' } = state.params
    const { username, name, email } = await getAccount(operate, uid)
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
    await resetSignIn(operate, operator, uid, readReason(form))
    return listPath(uid, 'factors')
  }

  const restoreAccount: OperatorAct = async (operator, _, { params: { uid = '' } }) => {
    await restore(operate, operator, uid, null)
    return listPath(uid, 'restored')
  }

  const showStorage: OperatorPage = async (_, state) => {
    const account = await getAccount(operate, state.params.uid ?? '')
    const use = await readStorageUse(operate.deps, account.uid)
    return <StorageLimitPage {...{ state, account, use, standard: operate.deps.config.accountStorage }} />
  }

  const setLimit: OperatorAct = async (operator, form, { params: { uid = '' } }) => {
    await setStorageLimit(operate, operator, uid, readLimit(form))
    return listPath(uid, 'storage')
  }

  return new Elysia({ name: 'operate-account-pages', prefix: '/accounts' })
    .use(kit)
    .get('', view(showAccounts), { operatorPage: true })
    .get('/:uid/suspend', view(showSuspend), { operatorPage: true })
    .post('/:uid/suspend', submit('suspend', suspendAccount, showSuspend), operatorAct())
    .post('/:uid/restore', submit('restore', restoreAccount, showAccounts), operatorAct())
    .get('/:uid/reset-factors', view(showReset), { operatorPage: true })
    .post('/:uid/reset-factors', submit('reset', resetFactors, showReset), operatorAct())
    .get('/:uid/storage', view(showStorage), { operatorPage: true })
    .post('/:uid/storage', submit('storage', setLimit, showStorage), operatorAct())
}

function readLimit(form: URLSearchParams): StorageLimitInput {
  const given = textOf(form, 'limit').trim()
  const reason = textOf(form, 'reason').trim()
  const limit = given === '' ? null : parseBytes(given)
  if (given !== '' && limit === null)
    throw invalidField('limit', 'Write a size like 200 GB, or leave it empty.')
  const input = { limit, ...(reason !== '' && { reason }) }
  checkForm(StorageLimitInput, input)
  return input
}
