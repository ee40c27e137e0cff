import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { type RevisedSettings, STORE_IMAGES } from '../../../domain/store-settings.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { etagOfRevision, revisionCheck } from '../../../http/output/caching.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { OperatorSettings, SettingsEdit } from '../../settings/model.ts'
import { toOperatorSettings } from '../../settings/service.ts'
import { receiveStoreImage, removeStoreImage } from './images.ts'
import { changeSettings, getSettings } from './service.ts'

const tags = ['Operators']

export function operatorSettingsRoutes(kit: HttpKit, deps: Deps) {
  const routes = new Elysia({ name: 'operator-settings', prefix: '/api/v1/operator' })
    .use(kit)
    .get('/settings', async ({ set }) => send(deps, set, await getSettings(deps)), {
      operator: true,
      limit: 'operator',
      response: Envelope(OperatorSettings),
      detail: { tags, summary: 'How this store is set up' },
    })
    .patch(
      '/settings',
      async ({ actor, body, request, set }) => {
        const readAnswer = async () => toOperatorSettings(deps, await getSettings(deps))
        const patch = await SettingsEdit.settle(body, readAnswer)
        return send(deps, set, await changeSettings(deps, actor, patch, revisionCheck(request)))
      },
      {
        operator: true,
        limit: 'operator',
        body: SettingsEdit.body,
        response: Envelope(OperatorSettings),
        detail: {
          tags,
          summary: 'Change how this store is set up: all fields that were sent, or none',
          description:
            'Null brings the default of a field back. Send the ETag you read as If-Match, so that nobody else’s change is lost.',
          ...failsWith('stale'),
        },
      },
    )
  for (const name of STORE_IMAGES) {
    routes
      .put(
        `/settings/${name}`,
        async (context) => {
          const saved = await receiveStoreImage(deps, context.actor, name, context)
          return send(deps, context.set, saved)
        },
        {
          rawBody: true,
          operator: true,
          limit: 'operator',
          response: Envelope(OperatorSettings),
          detail: { tags, summary: `Set the image ${name}: a form with \`file\`, at most 4 MB` },
        },
      )
      .delete(
        `/settings/${name}`,
        async ({ actor, set }) => send(deps, set, await removeStoreImage(deps, actor, name)),
        {
          operator: true,
          limit: 'operator',
          response: Envelope(OperatorSettings),
          detail: { tags, summary: `Bring the default of the image ${name} back` },
        },
      )
  }
  return routes
}

type Sent = { headers: Record<string, string | number> }

function send(deps: Deps, set: Sent, revised: RevisedSettings) {
  set.headers.etag = etagOfRevision(revised.revision)
  return ok(toOperatorSettings(deps, revised))
}
