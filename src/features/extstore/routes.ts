import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import { done, Envelope, Nothing, ok } from '../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { extendIdleTimeout, parseUrl } from '../../lib/net/requests.ts'
import { LinkedAccount, SignInStart } from './account/model.ts'
import { finishLinking, startLinking, unlinkAccount } from './account/service.ts'
import { Imported, ImportInput, Preview, PreviewInput, ResyncInput } from './import/model.ts'
import { countImport, countPreview, importListing, previewImport, resyncListing } from './import/service.ts'
import { extstoreRoutes } from './link/routes.ts'
import { signInRoutes } from './sign-in/routes.ts'
import type { SignIn } from './sign-in/service.ts'

/** Accounts, pages and players of the external store. */
export function extstoreAreaRoutes(kit: HttpKit, deps: Deps, signIn: SignIn) {
  return new Elysia({ name: 'extstore area' })
    .use(extstoreAccountRoutes(kit, deps))
    .use(extstoreRoutes(kit, deps))
    .use(importRoutes(kit, deps))
    .use(signInRoutes(kit, signIn))
}

/** The page after linking. */
const RETURN_PATH = '/?extstore=linked'

/** Browsers follow the redirects; programs read the same URL from the body. */
function extstoreAccountRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'extstore-account', prefix: '/api/v1/private/me', tags: ['Accounts'] })
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
        summary: 'Sign in at the external store to link its account to yours',
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
        summary: 'The return URL for the sign-in of the external store',
      },
    )
    .delete('/extstore', async ({ actor }) => await done(unlinkAccount(deps, actor)), {
      website: true,
      limit: 'account_write',
      response: Nothing,
      summary: 'Unlink the external account',
    })
}

const FAILURES = [
  'developer_mode_needed',
  'store_input_invalid',
  'store_app_unusable',
  'store_key_not_covering',
  'store_app_linked',
  'store_unreachable',
] as const
const WRITE_FAILURES = [...FAILURES, 'listing_check_failed', 'rate_limited'] as const

function importRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'extstore-import', prefix: '/api/v1/private', tags: ['Listings'] })
    .post(
      '/steam/import/preview',
      async (context) => {
        const { actor, body, set } = context
        const work = () => previewImport(deps, actor, body, countPreview(deps, actor, set.headers))
        return ok(await extendIdleTimeout(context, work))
      },
      {
        website: true,
        limit: 'account_write',
        body: PreviewInput,
        response: Envelope(Preview),
        summary: 'Preview an import from the external store',
        fails: [...FAILURES, 'rate_limited'],
      },
    )
    .post(
      '/steam/import',
      async (context) => {
        const { actor, body, status, set } = context
        const work = () => importListing(deps, actor, body, countImport(deps, actor, set.headers))
        const imported = await extendIdleTimeout(context, work)
        return imported.created ? status(201, ok(imported)) : ok(imported)
      },
      {
        website: true,
        limit: 'account_write',
        body: ImportInput,
        response: { 200: Envelope(Imported), 201: Envelope(Imported) },
        summary: 'Import a listing from the external store, into a new draft or an existing listing',
        description: 'Turning sign-in on (`enable_auth`) needs a fresh confirmation.',
        fails: [...WRITE_FAILURES],
        detail: { 'x-fresh': true },
      },
    )
    .post(
      '/games/:uid/steam/resync',
      async (context) => {
        const { actor, params, body, set } = context
        const count = countImport(deps, actor, set.headers)
        const work = () => resyncListing(deps, actor, params.uid, body, count)
        return ok(await extendIdleTimeout(context, work))
      },
      {
        website: true,
        body: ResyncInput,
        response: Envelope(Imported),
        summary: 'Import again from the linked app',
        fails: [...WRITE_FAILURES, 'store_not_linked'],
      },
    )
}
