import { Elysia } from 'elysia'

import { Paged } from '../../../http/input/paging.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { readPage } from '../../../lib/paging.ts'
import { OptionalReason, ReasonInput } from '../model.ts'
import type { Operate } from '../operate.ts'
import { AccountQuery, OperatorAccount, StorageLimitInput } from './model.ts'
import { listAccounts, resetSignIn, restore, setStorageLimit, suspend } from './service.ts'

const tags = ['Operators']

export function operatorAccountRoutes(kit: HttpKit, operate: Operate) {
  return new Elysia({ name: 'operator-accounts', prefix: '/api/v1/operator/accounts' })
    .use(kit)
    .get(
      '',
      async ({ query }) => {
        const search = { q: query.q?.trim() ?? '', suspendedOnly: query.suspended === 'true' }
        return ok(await listAccounts(operate, search, readPage(query)))
      },
      {
        operator: true,
        limit: 'operator',
        query: AccountQuery,
        response: Envelope(Paged(OperatorAccount)),
        detail: { tags, summary: 'Find accounts' },
      },
    )
    .post(
      '/:uid/suspend',
      async ({ actor, params, body }) =>
        ok(await suspend(operate, actor, params.uid, body?.reason?.trim() ?? null)),
      {
        operator: true,
        limit: 'operator',
        body: OptionalReason,
        response: Envelope(OperatorAccount),
        detail: {
          tags,
          summary: 'Suspend an account: everything that lets it in ends',
          ...failsWith('taken'),
        },
      },
    )
    .post(
      '/:uid/restore',
      async ({ actor, params, body }) =>
        ok(await restore(operate, actor, params.uid, body?.reason?.trim() ?? null)),
      {
        operator: true,
        limit: 'operator',
        body: OptionalReason,
        response: Envelope(OperatorAccount),
        detail: { tags, summary: 'Undo a suspension', ...failsWith('taken') },
      },
    )
    .post(
      '/:uid/reset-factors',
      async ({ actor, params, body }) =>
        ok(await resetSignIn(operate, actor, params.uid, body.reason.trim())),
      {
        operator: true,
        limit: 'operator',
        body: ReasonInput,
        response: Envelope(OperatorAccount),
        detail: {
          tags,
          summary: 'Remove the passkeys, the app and the codes of an account, and end its sessions',
          ...failsWith('taken'),
        },
      },
    )
    .put(
      '/:uid/storage-limit',
      async ({ actor, params, body }) => ok(await setStorageLimit(operate, actor, params.uid, body)),
      {
        operator: true,
        limit: 'operator',
        body: StorageLimitInput,
        response: Envelope(OperatorAccount),
        detail: { tags, summary: 'Set how much the listings of an account may store' },
      },
    )
}
