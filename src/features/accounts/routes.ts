import { Elysia, t } from 'elysia'

import type { Deps } from '../../deps.ts'
import { LIMITS } from '../../domain/limit-table.ts'
import { Paged, PageQuery } from '../../http/input/paging.ts'
import type { HttpKit } from '../../http/kit.ts'
import { failsWith } from '../../http/openapi/failures.ts'
import { Envelope, ok } from '../../http/output/envelope.ts'
import { readPage } from '../../lib/paging.ts'
import { Me, MeEdit, NewPlayerKey, PlayerKey, PlayerKeyInput, Program } from './model.ts'
import { disconnectProgram, listPrograms } from './oauth/programs.ts'
import { deleteAccount } from './personal-data/deletion.ts'
import { DeletionInput, PersonalData } from './personal-data/personal-data-model.ts'
import { exportData } from './personal-data/personal-data.ts'
import { createPlayerKey, deletePlayerKey, getMe, listPlayerKeys, updateMe } from './service.ts'
import type { OpenAuth } from './sign-in/open-auth.ts'

const tags = ['Accounts']

export function accountRoutes(kit: HttpKit, deps: Deps, openAuth: OpenAuth) {
  return new Elysia({ name: 'accounts', prefix: '/api/v1/private' })
    .use(kit)
    .get('/me', async ({ actor }) => ok(await getMe(deps, actor)), {
      website: true,
      response: Envelope(Me),
      detail: { tags, summary: 'The signed-in account' },
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
        detail: {
          tags,
          summary: 'Change username, developer mode, adult content or hidden tags',
          description: `New names of an account and its listings are at most ${LIMITS.rename.max} a day.`,
          ...failsWith('taken', 'rate_limited'),
        },
      },
    )
    .delete(
      '/me',
      async ({ actor, body, request }) => {
        await deleteAccount(deps, openAuth, actor, { headers: request.headers, ...body })
        return ok({})
      },
      {
        website: true,
        limit: 'accounts',
        body: DeletionInput,
        response: Envelope(t.Object({})),
        detail: { tags, summary: 'Delete the account and everything that belongs to it' },
      },
    )
    .get('/me/export', async ({ actor }) => ok(await exportData(deps, actor)), {
      website: true,
      fresh: true,
      limit: 'account_export',
      response: Envelope(PersonalData),
      detail: { tags, summary: 'A copy of everything that is stored about the account' },
    })
    .get('/me/programs', async ({ actor, query }) => ok(await listPrograms(deps, actor, readPage(query))), {
      website: true,
      query: PageQuery,
      response: Envelope(Paged(Program)),
      detail: { tags, summary: 'The programs connected to the account' },
    })
    .delete(
      '/me/programs/:client_id',
      async ({ actor, params }) => {
        await disconnectProgram(deps, actor, params.client_id)
        return ok({})
      },
      {
        website: true,
        limit: 'account_write',
        response: Envelope(t.Object({})),
        detail: { tags, summary: 'Disconnect a program; its tokens stop working at once' },
      },
    )
    .get('/player-keys', async ({ actor, query }) => ok(await listPlayerKeys(deps, actor, readPage(query))), {
      website: true,
      query: PageQuery,
      response: Envelope(Paged(PlayerKey)),
      detail: { tags, summary: 'The player keys of the account' },
    })
    .post(
      '/player-keys',
      async ({ actor, body, status }) => status(201, ok(await createPlayerKey(deps, actor, body))),
      {
        website: true,
        fresh: true,
        limit: 'player_key',
        body: PlayerKeyInput,
        response: { 201: Envelope(NewPlayerKey) },
        detail: { tags, summary: 'Create a player key; it is shown once' },
      },
    )
    .delete(
      '/player-keys/:uid',
      async ({ actor, params }) => {
        await deletePlayerKey(deps, actor, params.uid)
        return ok({})
      },
      {
        website: true,
        limit: 'account_write',
        response: Envelope(t.Object({})),
        detail: { tags, summary: 'Delete a player key; it stops working at once' },
      },
    )
}
