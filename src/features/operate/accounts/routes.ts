import type { Deps } from '../../../deps.ts'
import { done, Envelope, listOf, Nothing, ok, Paged } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
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

/** Accounts, and invitations to create one. */
export function accountsRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'operator-accounts', prefix: '/api/v1/operator', tags: ['Operators'] })
    .get(
      '/accounts',
      async ({ query }) => {
        const search = { q: query.q?.trim() ?? '', suspendedOnly: query.suspended === 'true' }
        return ok(await listAccounts(deps, search, parsePage(query)))
      },
      {
        operator: true,
        query: AccountQuery,
        response: Envelope(Paged(OperatorAccount)),
        summary: 'Find accounts',
      },
    )
    .post(
      '/accounts/:uid/suspend',
      async ({ actor, params, body }) =>
        ok(await suspend(deps, actor, params.uid, body?.reason?.trim() ?? null)),
      {
        operator: true,
        body: OptionalReason,
        response: Envelope(OperatorAccount),
        summary: 'Suspend an account: everything that lets it in ends',
        fails: 'taken',
      },
    )
    .post(
      '/accounts/:uid/restore',
      async ({ actor, params, body }) =>
        ok(await restore(deps, actor, params.uid, body?.reason?.trim() ?? null)),
      {
        operator: true,
        body: OptionalReason,
        response: Envelope(OperatorAccount),
        summary: 'Undo a suspension',
        fails: 'taken',
      },
    )
    .post(
      '/accounts/:uid/reset-factors',
      async ({ actor, params, body }) => ok(await resetSignIn(deps, actor, params.uid, body.reason.trim())),
      {
        operator: true,
        body: ReasonInput,
        response: Envelope(OperatorAccount),
        summary: 'Remove the passkeys, the app and the codes of an account, and end its sessions',
        fails: 'taken',
      },
    )
    .post(
      '/accounts/:uid/clear-profile',
      async ({ actor, params, body }) =>
        ok(await clearProfileOf(deps, actor, params.uid, body.reason.trim())),
      {
        operator: true,
        body: ReasonInput,
        response: Envelope(OperatorAccount),
        summary: 'Remove the display name, pictures, text and links of an account',
      },
    )
    .put(
      '/accounts/:uid/storage-limit',
      async ({ actor, params, body }) => ok(await setStorageLimit(deps, actor, params.uid, body)),
      {
        operator: true,
        body: StorageLimitInput,
        response: Envelope(OperatorAccount),
        summary: 'Set how much the listings of an account may store',
      },
    )
    .get('/invites', async ({ query }) => ok(await listInvitations(deps, parsePage(query))), {
      operator: true,
      ...listOf(Invitation),
      summary: 'Invitations to create an account, newest first',
    })
    .post(
      '/invites',
      async ({ actor, body, status }) => status(201, ok(await makeInvitations(deps, actor, body))),
      {
        operator: true,
        body: InvitationsInput,
        response: { 201: Envelope(NewInvitations) },
        summary: 'Make invitations; their codes are shown only here',
        fails: 'taken',
      },
    )
    .delete(
      '/invites/:uid',
      async ({ actor, params }) => await done(revokeInvitation(deps, actor, params.uid)),
      {
        operator: true,
        response: Nothing,
        summary: 'Delete an invitation; accounts that used it stay',
      },
    )
    .post(
      '/accounts',
      async ({ actor, body, status }) => status(201, ok(await addAccount(deps, actor, body.email))),
      {
        operator: true,
        body: AccountInput,
        response: { 201: Envelope(Invitation) },
        summary: 'Add an account: mails a link by which its owner chooses name and password',
        fails: 'taken',
      },
    )
}
