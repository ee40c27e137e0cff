import { t } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { done, Envelope, Nothing, ok } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { CollectionInput } from '../../catalog/collections/model.ts'
import { CollectionEdit, OperatorCollection } from './model.ts'
import {
  changeCollection,
  createCollection,
  deleteCollection,
  getCollection,
  listCollections,
} from './service.ts'

export function operatorCollectionRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'operator-collections', prefix: '/api/v1/operator', tags: ['Operators'] })
    .get('/collections', async () => ok({ items: await listCollections(deps) }), {
      operator: true,
      response: Envelope(t.Object({ items: t.Array(OperatorCollection) })),
      summary: 'All collections, also those that are not shown now; newest first',
    })
    .post(
      '/collections',
      async ({ actor, body, status }) => status(201, ok(await createCollection(deps, actor, body))),
      {
        operator: true,
        body: CollectionInput,
        response: { 201: Envelope(OperatorCollection) },
        summary: 'Create a collection of listings',
        fails: 'taken',
      },
    )
    .get('/collections/:uid', async ({ params }) => ok(await getCollection(deps, params.uid)), {
      operator: true,
      response: Envelope(OperatorCollection),
      summary: 'One of them, by its uid or its slug',
    })
    .patch(
      '/collections/:uid',
      async ({ actor, params, body }) => {
        const patch = await CollectionEdit.settle(body, () => getCollection(deps, params.uid))
        return ok(await changeCollection(deps, actor, params.uid, patch))
      },
      {
        operator: true,
        body: CollectionEdit.body,
        response: Envelope(OperatorCollection),
        summary: 'Change a collection: all fields that were sent, or none',
        description: 'It is named by its uid or its slug. `games` replaces the whole list.',
        fails: 'taken',
      },
    )
    .delete(
      '/collections/:uid',
      async ({ actor, params }) => await done(deleteCollection(deps, actor, params.uid)),
      {
        operator: true,
        response: Nothing,
        summary: 'Delete a collection; its listings stay as they are',
      },
    )
}
