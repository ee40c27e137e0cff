import { Elysia, t } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { Paged, PageQuery } from '../../../http/input/schema.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { ALWAYS_ASK } from '../../../http/output/caching.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { parsePage } from '../../../lib/paging.ts'
import { awardPrizes, changeResults, disqualifyEntry, readmitEntry } from './hosting.ts'
import {
  JamComment,
  PrizesInput,
  ReasonInput,
  ResultItem,
  Results,
  ResultsQuery,
  ResultsState,
} from './model.ts'
import { getResult, listComments, listResults } from './service.ts'

const tags = ['Jams']
const write = () => ({ website: true, limit: 'account_write' }) as const
const closed = failsWith('jam_closed')

/** What everyone reads of the results. */
export function publicResultRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'public-jam-results', prefix: '/api/v1/public/jams/:jam/results' })
    .use(kit)
    .get(
      '',
      async ({ actor, params, query }) =>
        ok(await listResults(deps, actor, params.jam, query.criterion, parsePage(query))),
      {
        visitor: true,
        cache: ALWAYS_ASK,
        query: ResultsQuery,
        response: Envelope(Results),
        detail: {
          tags,
          summary: 'The results of a jam, the best first',
          description:
            'The adjusted score is the mean, times the root of min(n, m) / m: n ratings of the entry, m the median of all.',
          ...closed,
        },
      },
    )
    .get(
      '/:game_uid',
      async ({ actor, params }) => ok(await getResult(deps, actor, params.jam, params.game_uid)),
      {
        visitor: true,
        cache: ALWAYS_ASK,
        response: Envelope(ResultItem),
        detail: { tags, summary: 'The result of one entry', ...closed },
      },
    )
    .get(
      '/:game_uid/comments',
      async ({ actor, params: { jam, game_uid }, query }) =>
        ok(await listComments(deps, actor, jam, game_uid, parsePage(query))),
      {
        visitor: true,
        cache: ALWAYS_ASK,
        query: PageQuery,
        response: Envelope(Paged(JamComment)),
        detail: { tags, summary: 'What voters wrote about an entry, newest first', ...closed },
      },
    )
}

/** What hosts do with entries and results. */
export function hostResultRoutes(kit: HttpKit, deps: Deps) {
  const none = Envelope(t.Object({}))
  return new Elysia({ name: 'jam-result-hosting', prefix: '/api/v1/private/jams/:jam' })
    .use(kit)
    .get(
      '/results/:game_uid/comments',
      async ({ actor, params: { jam, game_uid }, query }) =>
        ok(await listComments(deps, actor, jam, game_uid, parsePage(query))),
      {
        website: true,
        query: PageQuery,
        response: Envelope(Paged(JamComment)),
        detail: {
          tags,
          summary: 'What voters wrote about an entry; all of it for those who work on the entry',
          ...closed,
        },
      },
    )
    .post(
      '/manage/entries/:game_uid/disqualify',
      async ({ actor, params: { jam, game_uid }, body }) => {
        await disqualifyEntry(deps, actor, jam, game_uid, body)
        return ok({})
      },
      {
        ...write(),
        body: ReasonInput,
        response: none,
        detail: { tags, summary: 'Disqualify an entry; everyone reads the reason', ...failsWith('taken') },
      },
    )
    .post(
      '/manage/entries/:game_uid/readmit',
      async ({ actor, params: { jam, game_uid }, body }) => {
        await readmitEntry(deps, actor, jam, game_uid, body)
        return ok({})
      },
      {
        ...write(),
        body: ReasonInput,
        response: none,
        detail: { tags, summary: 'Take a disqualification back', ...failsWith('taken') },
      },
    )
    .post(
      '/manage/entries/:game_uid/prizes',
      async ({ actor, params: { jam, game_uid }, body }) => {
        await awardPrizes(deps, actor, jam, game_uid, body)
        return ok({})
      },
      {
        ...write(),
        body: PrizesInput,
        response: none,
        detail: { tags, summary: 'Set the prizes of an entry' },
      },
    )
    .post(
      '/manage/results/hold',
      async ({ actor, params }) => ok(await changeResults(deps, actor, params.jam, 'hold')),
      {
        ...write(),
        response: Envelope(ResultsState),
        detail: { tags, summary: 'Hold the results back until you publish them', ...closed },
      },
    )
    .post(
      '/manage/results/publish',
      async ({ actor, params }) => ok(await changeResults(deps, actor, params.jam, 'publish')),
      {
        ...write(),
        response: Envelope(ResultsState),
        detail: { tags, summary: 'Publish the results', ...closed },
      },
    )
    .post(
      '/manage/results/recount',
      async ({ actor, params }) => ok(await changeResults(deps, actor, params.jam, 'recount')),
      {
        ...write(),
        response: Envelope(ResultsState),
        detail: { tags, summary: 'Compute the results again from the votes that count', ...closed },
      },
    )
}
