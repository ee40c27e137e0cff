import { Elysia } from 'elysia'

import { invalidField } from '../../errors.ts'
import { StorageLimitInput } from '../../features/operate/accounts/model.ts'
import {
  getAccount,
  listAccounts,
  restore,
  setStorageLimit,
  suspend,
} from '../../features/operate/accounts/service.ts'
import type { Operate } from '../../features/operate/operate.ts'
import { readStorageUse } from '../../features/storage/quota.ts'
import type { HttpKit } from '../../http/kit.ts'
import type { Visit } from '../../http/visit.ts'
import { readPage } from '../../lib/paging.ts'
import { parseBytes } from '../../lib/text/byte-sizes.ts'
import { checkForm } from '../kit/form-check.ts'
import { attempt, EMPTY_FORM, type Refused, textOf } from '../kit/form-state.ts'
import { type ResponseSettings, show } from '../kit/render.ts'
import { AccountsPage } from './accounts-page.tsx'
import { ConfirmPage } from './confirm-page.tsx'
import { readReason } from './reason.ts'
import { StorageLimitPage } from './storage-limit.tsx'

const NOTICES: Readonly<Record<string, string>> = {
  suspended: 'The account is suspended, and everything that let it in has ended.',
  restored: 'The account can sign in again, and its keys and programs work.',
  storage: 'The storage limit of the account is changed.',
}

export function operateAccountPages(kit: HttpKit, operate: Operate) {
  const listPath = (uid: string, done: string) =>
    `/operate/accounts?q=${encodeURIComponent(uid)}&done=${done}`

  async function showSuspend(visit: Visit, set: ResponseSettings, uid: string, refused: Refused | null) {
    const form = refused?.form ?? EMPTY_FORM
    const { username, name } = await getAccount(operate, uid)
    const page = (
      <ConfirmPage
        {...{ visit, form, tab: '/operate/accounts', back: `/operate/accounts?q=${uid}` }}
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
    return show(visit, set, page, refused ?? {})
  }

  async function showStorage(visit: Visit, set: ResponseSettings, uid: string, refused: Refused | null) {
    const account = await getAccount(operate, uid)
    const use = await readStorageUse(operate.deps, account.uid)
    const standard = operate.deps.config.accountStorage
    const form = refused?.form ?? EMPTY_FORM
    return show(visit, set, <StorageLimitPage {...{ visit, account, use, standard, form }} />, refused ?? {})
  }

  return new Elysia({ name: 'operate-account-pages', prefix: '/accounts' })
    .use(kit)
    .get(
      '',
      async ({ visit, query, set }) => {
        const search = { q: query.q?.trim() ?? '', suspendedOnly: query.suspended === 'true' }
        const accounts = await listAccounts(operate, search, readPage(query))
        const notice = NOTICES[query.done ?? '']
        return show(visit, set, <AccountsPage visit={visit} accounts={accounts} notice={notice} />)
      },
      { operatorPage: true },
    )
    .get('/:uid/suspend', ({ visit, params, set }) => showSuspend(visit, set, params.uid, null), {
      operatorPage: true,
    })
    .post(
      '/:uid/suspend',
      async ({ visit, params, form, set, redirect }) => {
        const refused = await attempt(form, () => suspend(operate, visit.actor, params.uid, readReason(form)))
        if (refused) return await showSuspend(visit, set, params.uid, refused)
        return redirect(listPath(params.uid, 'suspended'), 303)
      },
      { operatorPage: true, limit: 'operator' },
    )
    .post(
      '/:uid/restore',
      async ({ visit, params, redirect }) => {
        await restore(operate, visit.actor, params.uid, null)
        return redirect(listPath(params.uid, 'restored'), 303)
      },
      { operatorPage: true, limit: 'operator' },
    )
    .get('/:uid/storage', ({ visit, params, set }) => showStorage(visit, set, params.uid, null), {
      operatorPage: true,
    })
    .post(
      '/:uid/storage',
      async ({ visit, params, form, set, redirect }) => {
        const refused = await attempt(form, () =>
          setStorageLimit(operate, visit.actor, params.uid, readLimit(form)),
        )
        if (refused) return await showStorage(visit, set, params.uid, refused)
        return redirect(listPath(params.uid, 'storage'), 303)
      },
      { operatorPage: true, limit: 'operator' },
    )
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
