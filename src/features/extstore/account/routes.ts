import { Elysia, t } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { Envelope, ok } from '../../../http/envelope.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { LinkedAccount, SignInStart } from './model.ts'
import { finishLinking, startLinking, unlinkAccount } from './service.ts'

const tags = ['Accounts']
/** Where the browser ends up: an account that is linked has nothing more to do here. */
const AFTERWARDS = '/?extstore=linked'

/** A browser follows these redirects; a program reads the same from the body. */
export function extstoreAccountRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'extstore-account', prefix: '/api/v1/private/me' })
    .use(kit)
    .get(
      '/extstore/connect',
      ({ actor, set, status }) => {
        const started = startLinking(deps, actor)
        set.headers.location = started.url
        set.headers['cache-control'] = 'no-store'
        return status(302, ok(started))
      },
      {
        website: true,
        limit: 'extstore_settings',
        response: { 302: Envelope(SignInStart) },
        detail: { tags, summary: 'Sign in at the external store, to link its account to this one' },
      },
    )
    .get(
      '/extstore/callback',
      async ({ actor, request, set, status }) => {
        const linked = await finishLinking(deps, actor, new URL(request.url).searchParams)
        set.headers.location = AFTERWARDS
        set.headers['cache-control'] = 'no-store'
        return status(302, ok(linked))
      },
      {
        website: true,
        limit: 'extstore_settings',
        response: { 302: Envelope(LinkedAccount) },
        detail: { tags, summary: 'Where the external store sends the browser back to' },
      },
    )
    .delete(
      '/extstore',
      async ({ actor }) => {
        await unlinkAccount(deps, actor)
        return ok({})
      },
      {
        website: true,
        response: Envelope(t.Object({})),
        detail: { tags, summary: 'Unlink the external account' },
      },
    )
}
