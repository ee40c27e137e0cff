import { Elysia } from 'elysia'

import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { etagOfRevision, revisionCheck } from '../../../http/output/etags.ts'
import { SettingsPatch, StoreSettings } from '../../settings/model.ts'
import type { RevisedSettings } from '../../settings/service.ts'
import type { Operate } from '../operate.ts'
import { changeSettings, getSettings } from './service.ts'

const tags = ['Operators']

export function operatorSettingsRoutes(kit: HttpKit, operate: Operate) {
  return new Elysia({ name: 'operator-settings', prefix: '/api/v1/operator' })
    .use(kit)
    .get('/settings', async ({ set }) => send(set, await getSettings(operate)), {
      operator: true,
      limit: 'operator',
      response: Envelope(StoreSettings),
      detail: { tags, summary: 'How this store is set up' },
    })
    .patch(
      '/settings',
      async ({ actor, body, request, set }) =>
        send(set, await changeSettings(operate, actor, body, revisionCheck(request))),
      {
        operator: true,
        limit: 'operator',
        body: SettingsPatch,
        response: Envelope(StoreSettings),
        detail: {
          tags,
          summary: 'Change how this store is set up',
          description: 'Send the ETag you read as If-Match, so that nobody else’s change is lost.',
          ...failsWith('stale'),
        },
      },
    )
}

function send(set: { headers: Record<string, string | number> }, { settings, revision }: RevisedSettings) {
  set.headers.etag = etagOfRevision(revision)
  return ok(settings)
}
