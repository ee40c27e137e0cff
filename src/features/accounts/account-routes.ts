import type { Deps } from '../../deps.ts'
import { LIMITS } from '../../domain/limit-table.ts'
import { done, Envelope, listOf, Nothing, ok } from '../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { parseClientAddress } from '../../lib/net/addresses.ts'
import { parsePage } from '../../lib/paging.ts'
import { confirmSession } from './confirmation.ts'
import * as factors from './factors/factors.ts'
import {
  CodeInput,
  Confirmation,
  Factors,
  Me,
  MeEdit,
  NewAuthenticator,
  NewPlayerKey,
  PasskeyPatch,
  PlayerKey,
  PlayerKeyInput,
  Program,
  Proof,
  RecoveryCodes,
} from './model.ts'
import { disconnectProgram, listPrograms } from './oauth/programs.ts'
import { DeletionInput, PersonalData } from './personal-data/personal-data-model.ts'
import { deleteAccount, exportData } from './personal-data/personal-data.ts'
import { createPlayerKey, deletePlayerKey, getMe, listPlayerKeys, updateMe } from './service.ts'
import type { WebsiteAuth } from './sign-in/website.ts'

interface Sent {
  request: Request
  server: { requestIP(request: Request): { address: string } | null } | null
}

/** The signed-in account: its profile, programs, keys and factors. Passkeys are added by the library's own routes. */
export function accountRoutes(kit: HttpKit, deps: Deps, website: WebsiteAuth) {
  const browserOf = ({ request, server }: Sent) => ({
    headers: request.headers,
    address: parseClientAddress(
      request.headers,
      () => server?.requestIP(request)?.address,
      deps.config.trustProxy,
    ),
  })

  return createRoutes(kit, { name: 'accounts', prefix: '/api/v1/private', tags: ['Accounts'] })
    .get('/me', async ({ actor }) => ok(await getMe(deps, actor)), {
      website: true,
      response: Envelope(Me),
      summary: 'The signed-in account',
    })
    .patch(
      '/me',
      async ({ actor, body }) =>
        ok(await updateMe(deps, actor, await MeEdit.settle(body, () => getMe(deps, actor)))),
      {
        website: true,
        limit: 'account_write',
        body: MeEdit.body,
        response: Envelope(Me),
        summary: 'Change names, profile, developer mode, adult content or hidden tags',
        description: `New names of an account and its listings are at most ${LIMITS.rename.max} a day.`,
        fails: ['taken', 'rate_limited'],
      },
    )
    .delete(
      '/me',
      async ({ actor, body: { password = '' }, request, server }) =>
        await done(
          deleteAccount(deps, actor, () => website.verifyPassword(browserOf({ request, server }), password)),
        ),
      {
        website: true,
        limit: 'accounts',
        body: DeletionInput,
        response: Nothing,
        summary: 'Delete the account and everything that belongs to it',
      },
    )
    .get('/me/export', async ({ actor }) => ok(await exportData(deps, actor)), {
      website: true,
      fresh: true,
      limit: 'account_export',
      response: Envelope(PersonalData),
      summary: 'A copy of everything that is stored about the account',
    })
    .get('/me/programs', async ({ actor, query }) => ok(await listPrograms(deps, actor, parsePage(query))), {
      website: true,
      ...listOf(Program),
      summary: 'The programs connected to the account',
    })
    .delete(
      '/me/programs/:client_id',
      async ({ actor, params }) => await done(disconnectProgram(deps, actor, params.client_id)),
      {
        website: true,
        limit: 'account_write',
        response: Nothing,
        summary: 'Disconnect a program; its tokens stop working at once',
      },
    )
    .get(
      '/player-keys',
      async ({ actor, query }) => ok(await listPlayerKeys(deps, actor, parsePage(query))),
      {
        website: true,
        ...listOf(PlayerKey),
        summary: 'The player keys of the account',
      },
    )
    .post(
      '/player-keys',
      async ({ actor, body, status }) => status(201, ok(await createPlayerKey(deps, actor, body))),
      {
        website: true,
        fresh: true,
        limit: 'player_key',
        body: PlayerKeyInput,
        response: { 201: Envelope(NewPlayerKey) },
        summary: 'Create a player key; it is shown once',
      },
    )
    .delete(
      '/player-keys/:uid',
      async ({ actor, params }) => await done(deletePlayerKey(deps, actor, params.uid)),
      {
        website: true,
        limit: 'account_write',
        response: Nothing,
        summary: 'Delete a player key; it stops working at once',
      },
    )
    .get('/me/factors', async ({ actor }) => ok(await factors.listFactors(deps, actor)), {
      website: true,
      response: Envelope(Factors),
      summary: 'How the account signs in: passkeys, app, codes, trusted browsers',
    })
    .post(
      '/me/confirmation',
      async ({ actor, body, request, server }) =>
        ok(
          await confirmSession(deps, actor, body, (password) =>
            website.verifyPassword(browserOf({ request, server }), password),
          ),
        ),
      {
        limit: 'accounts',
        website: true,
        body: Proof,
        response: Envelope(Confirmation),
        summary: 'Confirm with the password or a code that it is you, for 15 minutes',
        fails: 'rate_limited',
      },
    )
    .post('/me/authenticator', async ({ actor }) => ok(await factors.startAuthenticator(deps, actor)), {
      website: true,
      limit: 'account_write',
      fresh: true,
      response: Envelope(NewAuthenticator),
      summary: 'Begin to add an authenticator app; a code of it confirms it',
      fails: ['taken', 'rate_limited'],
    })
    .post(
      '/me/authenticator/confirm',
      async ({ actor, body }) => ok(await factors.confirmAuthenticator(deps, actor, body.code)),
      {
        website: true,
        limit: 'account_write',
        fresh: true,
        body: CodeInput,
        response: Envelope(RecoveryCodes),
        summary: 'Add the authenticator app; recovery codes come with the first factor',
        fails: ['taken', 'rate_limited'],
      },
    )
    .delete('/me/authenticator', async ({ actor }) => await done(factors.removeAuthenticator(deps, actor)), {
      website: true,
      limit: 'account_write',
      fresh: true,
      response: Nothing,
      summary: 'Remove the authenticator app',
      fails: 'not_found',
    })
    .post('/me/recovery-codes', async ({ actor }) => ok(await factors.renewRecoveryCodes(deps, actor)), {
      website: true,
      limit: 'account_write',
      fresh: true,
      response: Envelope(RecoveryCodes),
      summary: 'Make new recovery codes; those from before stop working',
      fails: ['taken', 'rate_limited'],
    })
    .patch(
      '/me/passkeys/:uid',
      async ({ actor, params, body }) =>
        await done(factors.renamePasskey(deps, actor, params.uid, body.name)),
      {
        website: true,
        limit: 'account_write',
        body: PasskeyPatch,
        response: Nothing,
        summary: 'Rename a passkey',
      },
    )
    .delete(
      '/me/passkeys/:uid',
      async ({ actor, params }) => await done(factors.removePasskey(deps, actor, params.uid)),
      {
        website: true,
        limit: 'account_write',
        fresh: true,
        response: Nothing,
        summary: 'Remove a passkey',
      },
    )
    .delete(
      '/me/providers/:provider',
      async ({ actor, params }) => await done(factors.disconnectProvider(deps, actor, params.provider)),
      {
        website: true,
        limit: 'account_write',
        fresh: true,
        response: Nothing,
        summary: 'Disconnect a provider: it no longer signs in to the account',
        fails: 'taken',
      },
    )
    .delete(
      '/me/trusted-browsers/:uid',
      async ({ actor, params }) => await done(factors.forgetBrowser(deps, actor, params.uid)),
      {
        website: true,
        limit: 'account_write',
        response: Nothing,
        summary: 'Forget a trusted browser: it needs the second step again',
      },
    )
}
