import { t } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { done, Envelope, listOf, Nothing, ok } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { parseClientAddress } from '../../../lib/net/addresses.ts'
import { originalOf } from '../../../lib/net/requests.ts'
import { parsePage } from '../../../lib/paging.ts'
import { OwnRating, Queue, QueueQuery, Rating, RatingEdit } from './model.ts'
import { loadQueue, markEntry, parseQueueWish } from './queue.ts'
import { listOwnRatings, loadOwnRating, openOwnRating, rateEntry } from './service.ts'

const write = () => ({ website: true, limit: 'account_write' }) as const
const refusals = ['jam_closed', 'rating_refused'] as const

/** What voters do. */
export function ratingRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'jam-ratings', prefix: '/api/v1/private/jams/:jam', tags: ['Jams'] })
    .get(
      '/queue',
      async ({ actor, params, query }) => ok(await loadQueue(deps, actor, params.jam, parseQueueWish(query))),
      {
        website: true,
        query: QueueQuery,
        response: Envelope(Queue),
        summary: 'The entries that you can rate next',
        description:
          'Entries with few ratings first; the ratings that a team gave move its own entries ahead. The order stays the same all day.',
        fails: refusals,
      },
    )
    .post(
      '/queue/:game_uid/skip',
      async ({ actor, params: { jam, game_uid } }) =>
        await done(markEntry(deps, actor, jam, game_uid, 'skip', null)),
      {
        ...write(),
        response: Nothing,
        summary: 'Put an entry at the end of your queue',
        fails: refusals,
      },
    )
    .post(
      '/queue/:game_uid/cannot-run',
      async ({ actor, params: { jam, game_uid }, query }) =>
        await done(markEntry(deps, actor, jam, game_uid, 'cannot_run', parseQueueWish(query).systems)),
      {
        ...write(),
        query: t.Pick(QueueQuery, ['os']),
        response: Nothing,
        summary: 'Say that an entry does not run for you',
        description:
          'It leaves your queue, and counts for the launch health of its build, not for its score.',
        fails: refusals,
      },
    )
    .get(
      '/ratings',
      async ({ actor, params, query }) => ok(await listOwnRatings(deps, actor, params.jam, parsePage(query))),
      {
        website: true,
        ...listOf(OwnRating),
        summary: 'Your ratings in a jam, the last changed first',
      },
    )
    .get(
      '/ratings/:game_uid',
      async ({ actor, params }) => ok(await loadOwnRating(deps, actor, params.jam, params.game_uid)),
      { website: true, response: Envelope(Rating), summary: 'Your rating of an entry' },
    )
    .put(
      '/ratings/:game_uid',
      async ({ actor, params: { jam, game_uid }, body, status, request, server }) => {
        const input = await RatingEdit.settle(body, () => openOwnRating(deps, actor, jam, game_uid))
        const socketAddress = () => server?.requestIP(originalOf(request))?.address
        const address = parseClientAddress(request.headers, socketAddress, deps.config.trustProxy)
        const { rating, isNew } = await rateEntry(deps, actor, jam, game_uid, input, address)
        return status(isNew ? 201 : 200, ok(rating))
      },
      {
        ...write(),
        body: RatingEdit.body,
        response: { 200: Envelope(Rating), 201: Envelope(Rating) },
        summary: 'Rate an entry, or change your rating until the voting ends',
        description:
          'Where the jam asks for it, play the entry for a minute, download it or install it first.',
        fails: refusals,
      },
    )
}
