import type { Deps } from '../../../deps.ts'
import { done, Envelope, listOf, Nothing, ok, Paged } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { ALWAYS_ASK, etagOfRevision, type HeaderSet, revisionCheck } from '../../../http/output/caching.ts'
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
  return createRoutes(kit, { name: 'public-jams', prefix: '/api/v1/public/jams', tags })
    .get('', async ({ query }) => ok(await listJams(deps, parseJamState(query.state), parsePage(query))), {
      limit: 'shelves',
      visitor: true,
      cache: ALWAYS_ASK,
      query: JamsQuery,
      response: Envelope(Paged(JamSummary)),
      summary: 'Public jams: of one state what is next first, else the newest first',
    })
    .get('/:jam', async ({ actor, params }) => ok(await getJam(deps, actor, params.jam)), {
      limit: 'shelves',
      visitor: true,
      cache: ALWAYS_ASK,
      response: Envelope(Jam),
      summary: 'A jam, by its slug or its uid',
    })
}

/** Edits accept If-Match with the revision they are based on. */
export function jamRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'jams', prefix: '/api/v1/private/jams', tags })
    .get('', async ({ actor, query }) => ok(await listOwnJams(deps, actor, parsePage(query))), {
      website: true,
      ...listOf(JamSummary),
      summary: 'Jams that the account hosts, judges or joined',
    })
    .post(
      '',
      async ({ actor, body, set, status }) => status(201, send(set, await createJam(deps, actor, body))),
      {
        website: true,
        limit: 'account_write',
        body: JamInput,
        response: { 201: Envelope(OwnJam) },
        summary: 'Make a jam; whoever makes it is its first host',
        description: 'The setting `jams` of the store says who can.',
        fails: ['taken', 'developer_mode_needed', 'email_not_verified'],
      },
    )
    .get('/:jam', async ({ actor, params, set }) => send(set, await getOwnJam(deps, actor, params.jam)), {
      website: true,
      response: Envelope(OwnJam),
      summary: 'A jam as the account sees it: its hosts see drafts and the theme',
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
        summary: 'Change a jam, for its hosts',
        description:
          'After the start only the text, the hosts and the judges change, and the ends move later; each change is listed on the page.',
        fails: ['stale', 'taken', 'jam_closed'],
      },
    )
    .delete('/:jam', async ({ actor, params }) => await done(deleteJam(deps, actor, params.jam)), {
      website: true,
      limit: 'account_write',
      response: Nothing,
      summary: 'Delete a draft, or a jam without entries',
      fails: 'taken',
    })
}

export function jamCoverRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'jam-covers', prefix: '/api/v1/private/jams/:jam/cover', tags })
    .put('', async (context) => ok(await uploadCover(deps, context.actor, context.params.jam, context)), {
      rawBody: true,
      website: true,
      limit: 'image_upload',
      response: Envelope(OwnJam),
      summary: 'Set the cover of a jam: a form with `file`, cropped and scaled to 1280×720',
      fails: ['rate_limited', 'storage_full'],
    })
    .delete('', async ({ actor, params }) => ok(await removeCover(deps, actor, params.jam)), {
      website: true,
      limit: 'account_write',
      response: Envelope(OwnJam),
      summary: 'Remove the cover of a jam',
    })
}

function send(set: HeaderSet, { jam, revision }: RevisedJam) {
  set.headers.etag = etagOfRevision(revision)
  return ok(jam)
}
