import { Elysia, t } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { Paged, PageQuery } from '../../../http/input/schema.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { parsePage } from '../../../lib/paging.ts'
import { ChangelogEdit, ChangelogEntry, ChangelogInput } from './model.ts'
import { addChange, deleteChange, editChange, getChange, listChanges } from './service.ts'

const tags = ['Listings']

export function changelogRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'changelog', prefix: '/api/v1/private/games/:uid' })
    .use(kit)
    .get(
      '/changelog',
      async ({ actor, params, query }) => ok(await listChanges(deps, actor, params.uid, parsePage(query))),
      {
        website: true,
        query: PageQuery,
        response: Envelope(Paged(ChangelogEntry)),
        detail: { tags, summary: 'The changelog of the listing, newest first' },
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
        detail: { tags, summary: 'Add a changelog entry' },
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
        detail: { tags, summary: 'Change a changelog entry' },
      },
    )
    .delete(
      '/changelog/:entry_uid',
      async ({ actor, params }) => {
        await deleteChange(deps, actor, params.uid, params.entry_uid)
        return ok({})
      },
      {
        website: true,
        response: Envelope(t.Object({})),
        detail: { tags, summary: 'Delete a changelog entry' },
      },
    )
}
