import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { Paged } from '../../../http/input/schema.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { parsePage } from '../../../lib/paging.ts'
import { ReasonInput } from '../results/model.ts'
import { Vote, VotesQuery } from './model.ts'
import { decideVote, listVotes, parseVoteFilter } from './service.ts'

const tags = ['Jams']
const write = () => ({ website: true, limit: 'account_write' }) as const

/** What hosts do about votes. */
export function voteRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'jam-votes', prefix: '/api/v1/private/jams/:jam' })
    .use(kit)
    .get(
      '/manage/votes',
      async ({ actor, params, query }) =>
        ok(await listVotes(deps, actor, params.jam, parseVoteFilter(query), parsePage(query))),
      {
        website: true,
        query: VotesQuery,
        response: Envelope(Paged(Vote)),
        detail: { tags, summary: 'The votes of a jam, newest first, for hosts' },
      },
    )
    .post(
      '/manage/votes/:vote_uid/void',
      async ({ actor, params: { jam, vote_uid }, body }) =>
        ok(await decideVote(deps, actor, jam, vote_uid, 'voided', body)),
      {
        ...write(),
        body: ReasonInput,
        response: Envelope(Vote),
        detail: { tags, summary: 'Void a vote', ...failsWith('taken') },
      },
    )
    .post(
      '/manage/votes/:vote_uid/restore',
      async ({ actor, params: { jam, vote_uid }, body }) =>
        ok(await decideVote(deps, actor, jam, vote_uid, 'restored', body)),
      {
        ...write(),
        body: ReasonInput,
        response: Envelope(Vote),
        detail: {
          tags,
          summary: 'Let a vote count that was voided, or that a rule left out',
          ...failsWith('taken'),
        },
      },
    )
}
