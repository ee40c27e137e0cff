import { Elysia, t } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { LIMITS } from '../../../domain/limit-table.ts'
import { Paged, PageQuery } from '../../../http/input/schema.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { etagOfRevision, revisionCheck } from '../../../http/output/caching.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
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

const tags = ['Listings']

/** Edits accept If-Match with the revision they are based on. */
export function listingRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'listings', prefix: '/api/v1/private/games' })
    .use(kit)
    .get('', async ({ actor, query }) => ok(await listListings(deps, actor, parsePage(query))), {
      website: true,
      query: PageQuery,
      response: Envelope(Paged(ListingSummary)),
      detail: { tags, summary: 'The listings you own or help run' },
    })
    .post(
      '',
      async ({ actor, body, set, status }) => status(201, send(set, await createListing(deps, actor, body))),
      {
        website: true,
        limit: 'account_write',
        body: ListingInput,
        response: { 201: Envelope(EditableListing) },
        detail: {
          tags,
          summary: 'Create a listing, as a draft',
          description: `At most ${LIMITS.new_project.max} an hour per account, and ${DRAFTS_MAX} drafts.`,
          ...failsWith('taken', 'rate_limited'),
        },
      },
    )
    .get('/:uid', async ({ actor, params, set }) => send(set, await getListing(deps, actor, params.uid)), {
      websiteOrAgent: 'mcp:catalog.read',
      response: Envelope(EditableListing),
      detail: { tags, summary: 'A listing as its owner and admins see it' },
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
        detail: {
          tags,
          summary: 'Edit a listing: all fields that were sent, or none',
          ...failsWith('stale', 'taken', 'rate_limited'),
        },
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
        detail: {
          tags,
          summary: 'Publish, hide or withdraw a page',
          description:
            'Where the store approves publications, the first one of a developer answers 202 and waits for an operator.',
          ...failsWith('listing_check_failed'),
        },
      },
    )
    .delete(
      '/:uid',
      async ({ actor, params }) => {
        await deleteListing(deps, actor, params.uid)
        return ok({})
      },
      {
        website: true,
        response: Envelope(t.Object({})),
        detail: { tags, summary: 'Delete a draft' },
      },
    )
    .get('/:uid/lint', async ({ actor, params }) => ok(await getReport(deps, actor, params.uid)), {
      websiteOrAgent: 'mcp:catalog.read',
      response: Envelope(LintReport),
      detail: { tags, summary: 'The listing check: errors that prevent publishing, and warnings' },
    })
}

function send(set: { headers: Record<string, string | number> }, { listing, revision }: Revised) {
  set.headers.etag = etagOfRevision(revision)
  return ok(listing)
}
