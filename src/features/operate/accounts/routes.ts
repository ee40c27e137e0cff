import { Elysia, t } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { Paged, PageQuery } from '../../../http/input/schema.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { parsePage } from '../../../lib/paging.ts'
import { OptionalReason, ReasonInput } from '../model.ts'
import {
  AccountInput,
  AccountQuery,
  Invitation,
  InvitationsInput,
  NewInvitations,
  OperatorAccount,
  StorageLimitInput,
} from './model.ts'
import {
  addAccount,
  clearProfileOf,
  listAccounts,
  listInvitations,
  makeInvitations,
  resetSignIn,
  restore,
  revokeInvitation,
  setStorageLimit,
  suspend,
} from './service.ts'

const tags = ['Operators']

/** Accounts, and invitations to create one. */
export function accountsRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'operator-accounts', prefix: '/api/v1/operator' })
    .use(kit)
    .get(
      '/accounts',
      async ({ query }) => {
        const search = { q: query.q?.trim() ?? '', suspendedOnly: query.suspended === 'true' }
        return ok(await listAccounts(deps, search, parsePage(query)))
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
      '/accounts/:uid/suspend',
      async ({ actor, params, body }) =>
        ok(await suspend(deps, actor, params.uid, body?.reason?.trim() ?? null)),
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
      '/accounts/:uid/restore',
      async ({ actor, params, body }) =>
        ok(await restore(deps, actor, params.uid, body?.reason?.trim() ?? null)),
      {
        operator: true,
        limit: 'operator',
        body: OptionalReason,
        response: Envelope(OperatorAccount),
        detail: { tags, summary: 'Undo a suspension', ...failsWith('taken') },
      },
    )
    .post(
      '/accounts/:uid/reset-factors',
      async ({ actor, params, body }) => ok(await resetSignIn(deps, actor, params.uid, body.reason.trim())),
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
    .post(
      '/accounts/:uid/clear-profile',
      async ({ actor, params, body }) =>
        ok(await clearProfileOf(deps, actor, params.uid, body.reason.trim())),
      {
        operator: true,
        limit: 'operator',
        body: ReasonInput,
        response: Envelope(OperatorAccount),
        detail: { tags, summary: 'Remove the display name, pictures, text and links of an account' },
      },
    )
    .put(
      '/accounts/:uid/storage-limit',
      async ({ actor, params, body }) => ok(await setStorageLimit(deps, actor, params.uid, body)),
      {
        operator: true,
        limit: 'operator',
        body: StorageLimitInput,
        response: Envelope(OperatorAccount),
        detail: { tags, summary: 'Set how much the listings of an account may store' },
      },
    )
    .get('/invites', async ({ query }) => ok(await listInvitations(deps, parsePage(query))), {
      operator: true,
      limit: 'operator',
      query: PageQuery,
      response: Envelope(Paged(Invitation)),
      detail: { tags, summary: 'Invitations to create an account, newest first' },
    })
    .post(
      '/invites',
      async ({ actor, body, status }) => status(201, ok(await makeInvitations(deps, actor, body))),
      {
        operator: true,
        limit: 'operator',
        body: InvitationsInput,
        response: { 201: Envelope(NewInvitations) },
        detail: { tags, summary: 'Make invitations; their codes are shown only here', ...failsWith('taken') },
      },
    )
    .delete(
      '/invites/:uid',
      async ({ actor, params }) => {
        await revokeInvitation(deps, actor, params.uid)
        return ok({})
      },
      {
        operator: true,
        limit: 'operator',
        response: Envelope(t.Object({})),
        detail: { tags, summary: 'Delete an invitation; accounts that used it stay' },
      },
    )
    .post(
      '/accounts',
      async ({ actor, body, status }) => status(201, ok(await addAccount(deps, actor, body.email))),
      {
        operator: true,
        limit: 'operator',
        body: AccountInput,
        response: { 201: Envelope(Invitation) },
        detail: {
          tags,
          summary: 'Add an account: mails a link by which its owner chooses name and password',
          ...failsWith('taken'),
        },
      },
    )
}
