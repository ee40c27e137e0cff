import { Elysia, t } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { AuthKey, Settings, WebApiKeyBody } from './model.ts'
import {
  getAuthKey,
  getSettings,
  renewAuthKey,
  renewTicketKey,
  replaceWebApiKey,
  turnOff,
  turnOn,
  unlink,
} from './service.ts'

const tags = ['External-store sign-in']
const needsLink = failsWith('store_not_linked')
const needsOn = failsWith('store_not_linked', 'sign_in_off')

export function extstoreRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'extstore', prefix: '/api/v1/private/games/:uid/steam' })
    .use(kit)
    .get('', async ({ actor, params }) => ok(await getSettings(deps, actor, params.uid)), {
      website: true,
      response: Envelope(Settings),
      detail: { tags, summary: 'The sign-in settings', ...needsLink },
    })
    .delete(
      '',
      async ({ actor, params }) => {
        await unlink(deps, actor, params.uid)
        return ok({})
      },
      {
        website: true,
        fresh: true,
        response: Envelope(t.Object({})),
        detail: {
          tags,
          summary: 'Unlink the listing: turns sign-in off and revokes every token; imported data stays',
          ...needsLink,
        },
      },
    )
    .post(
      '/enable',
      async ({ actor, params, body }) => ok(await turnOn(deps, actor, params.uid, body.web_api_key)),
      {
        website: true,
        fresh: true,
        limit: 'extstore_settings',
        body: WebApiKeyBody,
        response: Envelope(Settings),
        detail: { tags, summary: 'Turn sign-in on: creates the auth key and the ticket key', ...checksKey() },
      },
    )
    .post('/disable', async ({ actor, params }) => ok(await turnOff(deps, actor, params.uid)), {
      website: true,
      fresh: true,
      response: Envelope(Settings),
      detail: {
        tags,
        summary: 'Turn sign-in off: deletes the keys and revokes every token; the link stays',
        ...needsLink,
      },
    })
    .get(
      '/auth-key',
      async ({ actor, params, set }) => {
        set.headers['cache-control'] = 'no-store'
        return ok(await getAuthKey(deps, actor, params.uid))
      },
      {
        website: true,
        fresh: true,
        response: Envelope(AuthKey),
        detail: { tags, summary: 'The whole auth key; each view is logged', ...needsOn },
      },
    )
    .post('/auth-key', async ({ actor, params }) => ok(await renewAuthKey(deps, actor, params.uid)), {
      website: true,
      fresh: true,
      response: Envelope(Settings),
      detail: {
        tags,
        summary: 'Create a new auth key: the old one and every token stop immediately',
        ...needsOn,
      },
    })
    .post('/ticket-key', async ({ actor, params }) => ok(await renewTicketKey(deps, actor, params.uid)), {
      website: true,
      fresh: true,
      response: Envelope(Settings),
      detail: {
        tags,
        summary: 'Create a new ticket key: builds with the old one can no longer sign in',
        ...needsOn,
      },
    })
    .put(
      '/web-api-key',
      async ({ actor, params, body }) =>
        ok(await replaceWebApiKey(deps, actor, params.uid, body.web_api_key)),
      {
        website: true,
        fresh: true,
        limit: 'extstore_settings',
        body: WebApiKeyBody,
        response: Envelope(Settings),
        detail: {
          tags,
          summary: 'Replace the Web API key; keys and tokens keep working',
          ...checksKey('sign_in_off'),
        },
      },
    )
}

function checksKey(...more: 'sign_in_off'[]): object {
  return failsWith(
    'store_input_invalid',
    'store_key_not_covering',
    'store_not_linked',
    'store_unreachable',
    ...more,
  )
}
