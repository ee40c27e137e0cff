import type { Deps } from '../../../deps.ts'
import { LIMITS } from '../../../domain/limit-table.ts'
import { done, Envelope, listOf, Nothing, ok } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { etagOfRevision, revisionCheck } from '../../../http/output/caching.ts'
import { parsePage } from '../../../lib/paging.ts'
import { LintReport } from '../check/model.ts'
import {
  DRAFTS_MAX,
  EditableListing,
  ListingEdit,
  ListingInput,
  ListingSummary,
  PendingPublication,
  VisibilityInput,
} from './model.ts'
import {
  createListing,
  deleteListing,
  editListing,
  getListing,
  getReport,
  listListings,
  moveVisibility,
  type Revised,
} from './service.ts'

/** Edits accept If-Match with the revision they are based on. */
export function listingRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'listings', prefix: '/api/v1/private/games', tags: ['Listings'] })
    .get('', async ({ actor, query }) => ok(await listListings(deps, actor, parsePage(query))), {
      website: true,
      ...listOf(ListingSummary),
      summary: 'The listings you own or help run',
    })
    .post(
      '',
      async ({ actor, body, set, status }) => status(201, send(set, await createListing(deps, actor, body))),
      {
        website: true,
        limit: 'account_write',
        body: ListingInput,
        response: { 201: Envelope(EditableListing) },
        summary: 'Create a listing, as a draft',
        description: `At most ${LIMITS.new_project.max} an hour per account, and ${DRAFTS_MAX} drafts.`,
        fails: ['taken', 'rate_limited'],
      },
    )
    .get('/:uid', async ({ actor, params, set }) => send(set, await getListing(deps, actor, params.uid)), {
      websiteOrAgent: 'mcp:catalog.read',
      response: Envelope(EditableListing),
      summary: 'A listing as its owner and admins see it',
    })
    .patch(
      '/:uid',
      async ({ actor, params, body, set, request }) => {
        const readAnswer = async () => (await getListing(deps, actor, params.uid)).listing
        const patch = await ListingEdit.settle(body, readAnswer)
        return send(set, await editListing(deps, actor, params.uid, patch, revisionCheck(request)))
      },
      {
        website: true,
        body: ListingEdit.body,
        response: Envelope(EditableListing),
        summary: 'Edit a listing: all fields that were sent, or none',
        fails: ['stale', 'taken', 'rate_limited'],
      },
    )
    .put(
      '/:uid/visibility',
      async ({ actor, params, body, set, request, status }) => {
        const { visibility } = body
        const moved = await moveVisibility(deps, actor, params.uid, visibility, revisionCheck(request))
        const { listing } = moved
        if (listing.approval === null) return send(set, moved)
        return status(202, ok({ visibility: listing.visibility, approval: listing.approval }))
      },
      {
        website: true,
        body: VisibilityInput,
        response: { 200: Envelope(EditableListing), 202: Envelope(PendingPublication) },
        summary: 'Publish, hide or withdraw a page',
        description:
          'Where the store approves publications, the first one of a developer answers 202 and waits for an operator.',
        fails: 'listing_check_failed',
      },
    )
    .delete('/:uid', async ({ actor, params }) => await done(deleteListing(deps, actor, params.uid)), {
      website: true,
      response: Nothing,
      summary: 'Delete a draft',
    })
    .get('/:uid/lint', async ({ actor, params }) => ok(await getReport(deps, actor, params.uid)), {
      websiteOrAgent: 'mcp:catalog.read',
      response: Envelope(LintReport),
      summary: 'The listing check: errors that prevent publishing, and warnings',
    })
}

function send(set: { headers: Record<string, string | number> }, { listing, revision }: Revised) {
  set.headers.etag = etagOfRevision(revision)
  return ok(listing)
}
