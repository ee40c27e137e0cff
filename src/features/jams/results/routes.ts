import type { Deps } from '../../../deps.ts'
import { done, Envelope, listOf, Nothing, ok } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { ALWAYS_ASK } from '../../../http/output/caching.ts'
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
const closed = ['jam_closed'] as const

/** What everyone reads of the results. */
export function publicResultRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'public-jam-results', prefix: '/api/v1/public/jams/:jam/results', tags })
    .get(
      '',
      async ({ actor, params, query }) =>
        ok(await listResults(deps, actor, params.jam, query.criterion, parsePage(query))),
      {
        visitor: true,
        cache: ALWAYS_ASK,
        query: ResultsQuery,
        response: Envelope(Results),
        summary: 'The results of a jam, the best first',
        description:
          'The adjusted score is the mean, times the root of min(n, m) / m: n ratings of the entry, m the median of all.',
        fails: closed,
      },
    )
    .get(
      '/:game_uid',
      async ({ actor, params }) => ok(await getResult(deps, actor, params.jam, params.game_uid)),
      {
        visitor: true,
        cache: ALWAYS_ASK,
        response: Envelope(ResultItem),
        summary: 'The result of one entry',
        fails: closed,
      },
    )
    .get(
      '/:game_uid/comments',
      async ({ actor, params: { jam, game_uid }, query }) =>
        ok(await listComments(deps, actor, jam, game_uid, parsePage(query))),
      {
        visitor: true,
        cache: ALWAYS_ASK,
        ...listOf(JamComment),
        summary: 'What voters wrote about an entry, newest first',
        fails: closed,
      },
    )
}

/** What hosts do with entries and results. */
export function hostResultRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'jam-result-hosting', prefix: '/api/v1/private/jams/:jam', tags })
    .get(
      '/results/:game_uid/comments',
      async ({ actor, params: { jam, game_uid }, query }) =>
        ok(await listComments(deps, actor, jam, game_uid, parsePage(query))),
      {
        website: true,
        ...listOf(JamComment),
        summary: 'What voters wrote about an entry; all of it for those who work on the entry',
        fails: closed,
      },
    )
    .post(
      '/manage/entries/:game_uid/disqualify',
      async ({ actor, params: { jam, game_uid }, body }) =>
        await done(disqualifyEntry(deps, actor, jam, game_uid, body)),
      {
        ...write(),
        body: ReasonInput,
        response: Nothing,
        summary: 'Disqualify an entry; everyone reads the reason',
        fails: 'taken',
      },
    )
    .post(
      '/manage/entries/:game_uid/readmit',
      async ({ actor, params: { jam, game_uid }, body }) =>
        await done(readmitEntry(deps, actor, jam, game_uid, body)),
      {
        ...write(),
        body: ReasonInput,
        response: Nothing,
        summary: 'Take a disqualification back',
        fails: 'taken',
      },
    )
    .post(
      '/manage/entries/:game_uid/prizes',
      async ({ actor, params: { jam, game_uid }, body }) =>
        await done(awardPrizes(deps, actor, jam, game_uid, body)),
      {
        ...write(),
        body: PrizesInput,
        response: Nothing,
        summary: 'Set the prizes of an entry',
      },
    )
    .post(
      '/manage/results/hold',
      async ({ actor, params }) => ok(await changeResults(deps, actor, params.jam, 'hold')),
      {
        ...write(),
        response: Envelope(ResultsState),
        summary: 'Hold the results back until you publish them',
        fails: closed,
      },
    )
    .post(
      '/manage/results/publish',
      async ({ actor, params }) => ok(await changeResults(deps, actor, params.jam, 'publish')),
      {
        ...write(),
        response: Envelope(ResultsState),
        summary: 'Publish the results',
        fails: closed,
      },
    )
    .post(
      '/manage/results/recount',
      async ({ actor, params }) => ok(await changeResults(deps, actor, params.jam, 'recount')),
      {
        ...write(),
        response: Envelope(ResultsState),
        summary: 'Compute the results again from the votes that count',
        fails: closed,
      },
    )
}
