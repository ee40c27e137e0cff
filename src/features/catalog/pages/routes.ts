import type { Deps } from '../../../deps.ts'
import { seesAdult } from '../../../domain/actor.ts'
import type { ChildKind } from '../../../domain/listings/listing.ts'
import { Envelope, listOf, ok, Paged } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { ALWAYS_ASK, describeCache, sendPrepared } from '../../../http/output/caching.ts'
import { bytesOfResponse, type PreparedResponse, prepareJson } from '../../../lib/net/prepared-response.ts'
import { parsePage } from '../../../lib/paging.ts'
import { withPicturesFor } from './cards.ts'
import type { ListingCache } from './listing-cache.ts'
import { loadListing, loadRelationsOnly } from './listing.ts'
import { ChildCard, ChildrenQuery, Listing, PublicFile, RelationsOnly } from './model.ts'
import { listChildren, listFiles } from './service.ts'

/** `mild` is for everyone, `whole` for those who see adult content; mostly they are the same. */
interface ListingResponses {
  mild: PreparedResponse
  whole: PreparedResponse
}

/** Bounds of the response cache of the listing route. */
export const LISTING_RESPONSES = {
  bytesOf: ({ mild, whole }: ListingResponses) => bytesOfResponse(mild) + bytesOfResponse(whole),
  lifetimeMs: 60_000,
}
/** Any other value selects both. */
const KINDS = new Map<string | undefined, ChildKind>([
  ['mods', 'mod'],
  ['tools', 'tool'],
])

/** Routes about one listing. */
export function catalogRoutes(kit: HttpKit, deps: Deps, listings: ListingCache<ListingResponses>) {
  return createRoutes(kit, { name: 'catalog', prefix: '/api/v1/public', tags: ['Catalog'] })
    .get(
      '/games/:game_id',
      async ({ actor, params, request, set }) => {
        const { game_id } = params
        const { mild, whole } = await listings.read(game_id, async (from) => {
          const listing = await loadListing(from, game_id)
          const whole = prepareJson(ok(listing))
          const mild = listing.adult ? prepareJson(ok(withPicturesFor(null, listing))) : whole
          return { listing, value: { mild, whole } }
        })
        return sendPrepared(seesAdult(actor) ? whole : mild, request, set, ALWAYS_ASK)
      },
      {
        visitor: true,
        response: Envelope(Listing),
        summary: 'One listing',
        mayMove: true,
        detail: describeCache(ALWAYS_ASK),
      },
    )
    .get(
      '/games/:game_id/relations',
      async ({ actor, params }) =>
        ok(await deps.reads.visitor(actor, (from) => loadRelationsOnly(from, params.game_id))),
      {
        visitor: true,
        cache: ALWAYS_ASK,
        response: Envelope(RelationsOnly),
        summary: 'What a listing uses, what uses it, its licence and engines',
        mayMove: true,
      },
    )
    .get(
      '/games/:game_id/children',
      async ({ actor, params, query }) => {
        const kind = KINDS.get(query.kind) ?? null
        const read = (from: Deps) => listChildren(from, actor, params.game_id, kind, parsePage(query))
        return ok(await deps.reads.visitor(actor, read))
      },
      {
        limit: 'children',
        visitor: true,
        cache: ALWAYS_ASK,
        query: ChildrenQuery,
        response: Envelope(Paged(ChildCard)),
        summary: 'Mods and tools made for a listing, newest first',
        mayMove: true,
      },
    )
    .get(
      '/user/:user_id/games/:game_id/files',
      async ({ actor, params, query }) => {
        const read = (from: Deps) => listFiles(from, params.user_id, params.game_id, parsePage(query))
        return ok(await deps.reads.visitor(actor, read))
      },
      {
        visitor: true,
        cache: ALWAYS_ASK,
        ...listOf(PublicFile),
        summary: 'The public files of a listing',
        mayMove: true,
      },
    )
}
