import { Elysia, t } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { Paged, PageQuery } from '../../../http/input/schema.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { ALWAYS_ASK, etagOfRevision, type HeaderSet, revisionCheck } from '../../../http/output/caching.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { parsePage } from '../../../lib/paging.ts'
import { removeCover, uploadCover } from './cover.ts'
import { Jam, JamEdit, JamInput, JamsQuery, JamSummary, OwnJam } from './model.ts'
import {
  createJam,
  deleteJam,
  editJam,
  getJam,
  getOwnJam,
  listJams,
  listOwnJams,
  parseJamState,
  type RevisedJam,
} from './service.ts'

const tags = ['Jams']

export function publicJamRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'public-jams', prefix: '/api/v1/public/jams' })
    .use(kit)
    .get('', async ({ query }) => ok(await listJams(deps, parseJamState(query.state), parsePage(query))), {
      limit: 'shelves',
      visitor: true,
      cache: ALWAYS_ASK,
      query: JamsQuery,
      response: Envelope(Paged(JamSummary)),
      detail: { tags, summary: 'Public jams: of one state what is next first, else the newest first' },
    })
    .get('/:jam', async ({ actor, params }) => ok(await getJam(deps, actor, params.jam)), {
      limit: 'shelves',
      visitor: true,
      cache: ALWAYS_ASK,
      response: Envelope(Jam),
      detail: { tags, summary: 'A jam, by its slug or its uid' },
    })
}

/** Edits accept If-Match with the revision they are based on. */
export function jamRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'jams', prefix: '/api/v1/private/jams' })
    .use(kit)
    .get('', async ({ actor, query }) => ok(await listOwnJams(deps, actor, parsePage(query))), {
      website: true,
      query: PageQuery,
      response: Envelope(Paged(JamSummary)),
      detail: { tags, summary: 'Jams that the account hosts, judges or joined' },
    })
    .post(
      '',
      async ({ actor, body, set, status }) => status(201, send(set, await createJam(deps, actor, body))),
      {
        website: true,
        limit: 'account_write',
        body: JamInput,
        response: { 201: Envelope(OwnJam) },
        detail: {
          tags,
          summary: 'Make a jam; whoever makes it is its first host',
          description: 'The setting `jams` of the store says who can.',
          ...failsWith('taken', 'developer_mode_needed', 'email_not_verified'),
        },
      },
    )
    .get('/:jam', async ({ actor, params, set }) => send(set, await getOwnJam(deps, actor, params.jam)), {
      website: true,
      response: Envelope(OwnJam),
      detail: { tags, summary: 'A jam as the account sees it: its hosts see drafts and the theme' },
    })
    .patch(
      '/:jam',
      async ({ actor, params: { jam }, body, set, request }) => {
        const patch = await JamEdit.settle(body, async () => (await getOwnJam(deps, actor, jam)).jam)
        return send(set, await editJam(deps, actor, jam, patch, revisionCheck(request)))
      },
      {
        website: true,
        limit: 'account_write',
        body: JamEdit.body,
        response: Envelope(OwnJam),
        detail: {
          tags,
          summary: 'Change a jam, for its hosts',
          description:
            'After the start only the text, the hosts and the judges change, and the ends move later; each change is listed on the page.',
          ...failsWith('stale', 'taken', 'jam_closed'),
        },
      },
    )
    .delete(
      '/:jam',
      async ({ actor, params }) => {
        await deleteJam(deps, actor, params.jam)
        return ok({})
      },
      {
        website: true,
        limit: 'account_write',
        response: Envelope(t.Object({})),
        detail: { tags, summary: 'Delete a draft, or a jam without entries', ...failsWith('taken') },
      },
    )
}

export function jamCoverRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'jam-covers', prefix: '/api/v1/private/jams/:jam/cover' })
    .use(kit)
    .put('', async (context) => ok(await uploadCover(deps, context.actor, context.params.jam, context)), {
      rawBody: true,
      website: true,
      limit: 'image_upload',
      response: Envelope(OwnJam),
      detail: {
        tags,
        summary: 'Set the cover of a jam: a form with `file`, cropped and scaled to 1280×720',
        ...failsWith('rate_limited', 'storage_full'),
      },
    })
    .delete('', async ({ actor, params }) => ok(await removeCover(deps, actor, params.jam)), {
      website: true,
      limit: 'account_write',
      response: Envelope(OwnJam),
      detail: { tags, summary: 'Remove the cover of a jam' },
    })
}

function send(set: HeaderSet, { jam, revision }: RevisedJam) {
  set.headers.etag = etagOfRevision(revision)
  return ok(jam)
}
