import type { Deps } from '../../../deps.ts'
import { done, Envelope, Nothing, ok } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
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

const checksKey = [
  'store_input_invalid',
  'store_key_not_covering',
  'store_not_linked',
  'store_unreachable',
] as const
const needsLink = ['store_not_linked'] as const
const needsOn = ['store_not_linked', 'sign_in_off'] as const

export function extstoreRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, {
    name: 'extstore',
    prefix: '/api/v1/private/games/:uid/steam',
    tags: ['External-store sign-in'],
  })
    .get('', async ({ actor, params }) => ok(await getSettings(deps, actor, params.uid)), {
      website: true,
      response: Envelope(Settings),
      summary: 'The sign-in settings',
      fails: needsLink,
    })
    .delete('', async ({ actor, params }) => await done(unlink(deps, actor, params.uid)), {
      website: true,
      fresh: true,
      response: Nothing,
      summary: 'Unlink the listing: turns sign-in off and revokes every token; imported data stays',
      fails: needsLink,
    })
    .post(
      '/enable',
      async ({ actor, params, body }) => ok(await turnOn(deps, actor, params.uid, body.web_api_key)),
      {
        website: true,
        fresh: true,
        limit: 'extstore_settings',
        body: WebApiKeyBody,
        response: Envelope(Settings),
        summary: 'Turn sign-in on: creates the auth key and the ticket key',
        fails: checksKey,
      },
    )
    .post('/disable', async ({ actor, params }) => ok(await turnOff(deps, actor, params.uid)), {
      website: true,
      fresh: true,
      response: Envelope(Settings),
      summary: 'Turn sign-in off: deletes the keys and revokes every token; the link stays',
      fails: needsLink,
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
        summary: 'The whole auth key; each view is logged',
        fails: needsOn,
      },
    )
    .post('/auth-key', async ({ actor, params }) => ok(await renewAuthKey(deps, actor, params.uid)), {
      website: true,
      fresh: true,
      response: Envelope(Settings),
      summary: 'Create a new auth key: the old one and every token stop immediately',
      fails: needsOn,
    })
    .post('/ticket-key', async ({ actor, params }) => ok(await renewTicketKey(deps, actor, params.uid)), {
      website: true,
      fresh: true,
      response: Envelope(Settings),
      summary: 'Create a new ticket key: builds with the old one can no longer sign in',
      fails: needsOn,
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
        summary: 'Replace the Web API key; keys and tokens keep working',
        fails: [...checksKey, 'sign_in_off'],
      },
    )
}
