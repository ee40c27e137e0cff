import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import { done, Envelope, listOf, Nothing, ok } from '../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { parsePage } from '../../lib/paging.ts'
import { ChangelogEdit, ChangelogEntry, ChangelogInput } from './changelog/model.ts'
import { addChange, deleteChange, editChange, getChange, listChanges } from './changelog/service.ts'
import { imageRoutes, mediaRoutes, toolImageRoutes } from './images/routes.ts'
import { listingRoutes } from './page/routes.ts'
import { pressRoutes } from './press/routes.ts'
import {
  AnonymousDownloads,
  AnonymousDownloadsInput,
  Edition,
  EditionEdit,
  EditionInput,
} from './pricing/model.ts'
import {
  createEdition,
  deleteEdition,
  getEdition,
  listEditions,
  setAnonymousDownloads,
  updateEdition,
} from './pricing/service.ts'
import { StoreLinks, StoreLinksEdit } from './store-links/model.ts'
import { getStoreLinks, saveStoreLinks } from './store-links/service.ts'
import { teamRoutes } from './team/routes.ts'
import { videoMediaRoutes, videoRoutes } from './videos/routes.ts'

/** What developers write about a game, and its images. */
export function listingAreaRoutes(
  kit: HttpKit,
  deps: Deps,
  isOperator: (headers: Headers) => Promise<boolean>,
) {
  return new Elysia({ name: 'listings area' })
    .use(listingRoutes(kit, deps))
    .use(imageRoutes(kit, deps))
    .use(mediaRoutes(deps, isOperator))
    .use(videoRoutes(kit, deps))
    .use(videoMediaRoutes(deps, isOperator))
    .use(toolImageRoutes(kit, deps))
    .use(teamRoutes(kit, deps))
    .use(pricingRoutes(kit, deps))
    .use(changelogRoutes(kit, deps))
    .use(storeLinkRoutes(kit, deps))
    .use(pressRoutes(kit, deps))
}

function storeLinkRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'store-links', prefix: '/api/v1/private/games/:uid', tags: ['Listings'] })
    .get('/store-links', async ({ actor, params }) => ok(await getStoreLinks(deps, actor, params.uid)), {
      websiteOrAgent: 'mcp:catalog.read',
      response: Envelope(StoreLinks),
      summary: 'Links to other stores, and the supported stores',
    })
    .put(
      '/store-links',
      async ({ actor, params, body }) => {
        const input = await StoreLinksEdit.settle(body, () => getStoreLinks(deps, actor, params.uid))
        return ok(await saveStoreLinks(deps, actor, params.uid, input))
      },
      {
        website: true,
        body: StoreLinksEdit.body,
        response: Envelope(StoreLinks),
        summary: 'Replace the links to other stores',
        fails: 'store_link_invalid',
      },
    )
}

function changelogRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'changelog', prefix: '/api/v1/private/games/:uid', tags: ['Listings'] })
    .get(
      '/changelog',
      async ({ actor, params, query }) => ok(await listChanges(deps, actor, params.uid, parsePage(query))),
      {
        website: true,
        ...listOf(ChangelogEntry),
        summary: 'The changelog of the listing, newest first',
      },
    )
    .post(
      '/changelog',
      async ({ actor, params, body, status }) =>
        status(201, ok(await addChange(deps, actor, params.uid, body))),
      {
        website: true,
        body: ChangelogInput,
        response: { 201: Envelope(ChangelogEntry) },
        summary: 'Add a changelog entry',
      },
    )
    .patch(
      '/changelog/:entry_uid',
      async ({ actor, params: { uid, entry_uid }, body }) => {
        const patch = await ChangelogEdit.settle(body, () => getChange(deps, actor, uid, entry_uid))
        return ok(await editChange(deps, actor, uid, entry_uid, patch))
      },
      {
        website: true,
        body: ChangelogEdit.body,
        response: Envelope(ChangelogEntry),
        summary: 'Change a changelog entry',
      },
    )
    .delete(
      '/changelog/:entry_uid',
      async ({ actor, params }) => await done(deleteChange(deps, actor, params.uid, params.entry_uid)),
      {
        website: true,
        response: Nothing,
        summary: 'Delete a changelog entry',
      },
    )
}

function pricingRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'pricing', prefix: '/api/v1/private/games/:uid', tags: ['Listings'] })
    .get(
      '/editions',
      async ({ actor, params, query }) => ok(await listEditions(deps, actor, params.uid, parsePage(query))),
      {
        website: true,
        ...listOf(Edition),
        summary: 'The editions of the listing, active or not',
      },
    )
    .post(
      '/editions',
      async ({ actor, params, body, status }) =>
        status(201, ok(await createEdition(deps, actor, params.uid, body))),
      {
        website: true,
        body: EditionInput,
        response: { 201: Envelope(Edition) },
        summary: 'Add an edition',
      },
    )
    .patch(
      '/editions/:edition_uid',
      async ({ actor, params: { uid, edition_uid }, body }) => {
        const patch = await EditionEdit.settle(body, () => getEdition(deps, actor, uid, edition_uid))
        return ok(await updateEdition(deps, actor, uid, edition_uid, patch))
      },
      {
        website: true,
        body: EditionEdit.body,
        response: Envelope(Edition),
        summary: 'Change an edition',
      },
    )
    .delete(
      '/editions/:edition_uid',
      async ({ actor, params }) => await done(deleteEdition(deps, actor, params.uid, params.edition_uid)),
      {
        website: true,
        response: Nothing,
        summary: 'Delete an edition',
      },
    )
    .put(
      '/anonymous-downloads',
      async ({ actor, params, body }) => ok(await setAnonymousDownloads(deps, actor, params.uid, body)),
      {
        website: true,
        body: AnonymousDownloadsInput,
        response: Envelope(AnonymousDownloads),
        summary: 'Turn downloads without an account on or off',
      },
    )
}
