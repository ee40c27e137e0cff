import type { Deps } from '../../../deps.ts'
import { type RevisedSettings, STORE_IMAGES } from '../../../domain/store-settings.ts'
import { Envelope, ok } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { etagOfRevision, revisionCheck } from '../../../http/output/caching.ts'
import { OperatorSettings, SettingsEdit } from '../../settings/model.ts'
import { toOperatorSettings } from '../../settings/service.ts'
import { receiveStoreImage, removeStoreImage } from './images.ts'
import { changeSettings, getSettings } from './service.ts'

export function operatorSettingsRoutes(kit: HttpKit, deps: Deps) {
  const routes = createRoutes(kit, {
    name: 'operator-settings',
    prefix: '/api/v1/operator',
    tags: ['Operators'],
  })
    .get('/settings', async ({ set }) => send(deps, set, await getSettings(deps)), {
      operator: true,
      response: Envelope(OperatorSettings),
      summary: 'How this store is set up',
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
        body: SettingsEdit.body,
        response: Envelope(OperatorSettings),
        summary: 'Change how this store is set up: all fields that were sent, or none',
        description:
          'Null brings the default of a field back. Send the ETag you read as If-Match, so that nobody else’s change is lost.',
        fails: 'stale',
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
          response: Envelope(OperatorSettings),
          summary: `Set the image ${name}: a form with \`file\`, at most 4 MB`,
        },
      )
      .delete(
        `/settings/${name}`,
        async ({ actor, set }) => send(deps, set, await removeStoreImage(deps, actor, name)),
        {
          operator: true,
          response: Envelope(OperatorSettings),
          summary: `Bring the default of the image ${name} back`,
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
