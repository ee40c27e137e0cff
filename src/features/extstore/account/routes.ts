import { Elysia, t } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { parseUrl } from '../../../lib/net/requests.ts'
import { LinkedAccount, SignInStart } from './model.ts'
import { finishLinking, startLinking, unlinkAccount } from './service.ts'

const tags = ['Accounts']
/** The page after linking. */
const RETURN_PATH = '/?extstore=linked'

/** Browsers follow the redirects; programs read the same URL from the body. */
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
        detail: { tags, summary: 'Sign in at the external store to link its account to yours' },
      },
    )
    .get(
      '/extstore/callback',
      async ({ actor, request, set, status }) => {
        const linked = await finishLinking(deps, actor, parseUrl(request.url).searchParams)
        set.headers.location = RETURN_PATH
        set.headers['cache-control'] = 'no-store'
        return status(302, ok(linked))
      },
      {
        website: true,
        limit: 'extstore_settings',
        response: { 302: Envelope(LinkedAccount) },
        detail: { tags, summary: 'The return URL for the sign-in of the external store' },
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
        limit: 'account_write',
        response: Envelope(t.Object({})),
        detail: { tags, summary: 'Unlink the external account' },
      },
    )
}
