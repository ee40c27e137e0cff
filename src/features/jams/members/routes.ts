import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { Paged, PageQuery } from '../../../http/input/schema.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { ALWAYS_ASK } from '../../../http/output/caching.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { parsePage } from '../../../lib/paging.ts'
import { OwnJam } from '../jams/model.ts'
import { getOwnJam } from '../jams/service.ts'
import { JoinInput, Participant } from './model.ts'
import { joinJam, leaveJam, listParticipants } from './service.ts'

const tags = ['Jams']

export function jamMemberRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'jam-members', prefix: '/api/v1' })
    .use(kit)
    .get(
      '/public/jams/:jam/participants',
      async ({ actor, params, query }) =>
        ok(await listParticipants(deps, actor, params.jam, parsePage(query))),
      {
        limit: 'shelves',
        visitor: true,
        cache: ALWAYS_ASK,
        query: PageQuery,
        response: Envelope(Paged(Participant)),
        detail: { tags, summary: 'Who joined a jam, first come first' },
      },
    )
    .post(
      '/private/jams/:jam/join',
      async ({ actor, params, body }) => {
        await joinJam(deps, actor, params.jam, body?.code)
        return ok((await getOwnJam(deps, actor, params.jam)).jam)
      },
      {
        website: true,
        limit: ['redeem', 'account_write'],
        body: JoinInput,
        response: Envelope(OwnJam),
        detail: {
          tags,
          summary: 'Join a jam: your name is listed, and you get notices of it',
          ...failsWith('jam_closed', 'code_invalid'),
        },
      },
    )
    .post(
      '/private/jams/:jam/leave',
      async ({ actor, params }) => {
        await leaveJam(deps, actor, params.jam)
        return ok((await getOwnJam(deps, actor, params.jam)).jam)
      },
      {
        website: true,
        limit: 'account_write',
        response: Envelope(OwnJam),
        detail: { tags, summary: 'Leave a jam; entries stay' },
      },
    )
}
