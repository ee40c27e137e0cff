import { Elysia, t } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { CollectionInput } from '../../catalog/collections/model.ts'
import { CollectionEdit, OperatorCollection } from './model.ts'
import {
  changeCollection,
  createCollection,
  deleteCollection,
  getCollection,
  listCollections,
} from './service.ts'

const tags = ['Operators']

export function operatorCollectionRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'operator-collections', prefix: '/api/v1/operator' })
    .use(kit)
    .get('/collections', async () => ok({ items: await listCollections(deps) }), {
      operator: true,
      limit: 'operator',
      response: Envelope(t.Object({ items: t.Array(OperatorCollection) })),
      detail: { tags, summary: 'All collections, also those that are not shown now; newest first' },
    })
    .post(
      '/collections',
      async ({ actor, body, status }) => status(201, ok(await createCollection(deps, actor, body))),
      {
        operator: true,
        limit: 'operator',
        body: CollectionInput,
        response: { 201: Envelope(OperatorCollection) },
        detail: { tags, summary: 'Create a collection of listings', ...failsWith('taken') },
      },
    )
    .get('/collections/:uid', async ({ params }) => ok(await getCollection(deps, params.uid)), {
      operator: true,
      limit: 'operator',
      response: Envelope(OperatorCollection),
      detail: { tags, summary: 'One of them, by its uid or its slug' },
    })
    .patch(
      '/collections/:uid',
      async ({ actor, params, body }) => {
        const patch = await CollectionEdit.settle(body, () => getCollection(deps, params.uid))
        return ok(await changeCollection(deps, actor, params.uid, patch))
      },
      {
        operator: true,
        limit: 'operator',
        body: CollectionEdit.body,
        response: Envelope(OperatorCollection),
        detail: {
          tags,
          summary: 'Change a collection: all fields that were sent, or none',
          description: 'It is named by its uid or its slug. `games` replaces the whole list.',
          ...failsWith('taken'),
        },
      },
    )
    .delete(
      '/collections/:uid',
      async ({ actor, params }) => {
        await deleteCollection(deps, actor, params.uid)
        return ok({})
      },
      {
        operator: true,
        limit: 'operator',
        response: Envelope(t.Object({})),
        detail: { tags, summary: 'Delete a collection; its listings stay as they are' },
      },
    )
}
