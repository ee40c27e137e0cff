import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { extendIdleTimeout } from '../../../lib/net/requests.ts'
import { Imported, ImportInput, Preview, PreviewInput, ResyncInput } from './model.ts'
import { countImport, countPreview, importListing, previewImport, resyncListing } from './service.ts'

const tags = ['Listings']
const FAILURES = [
  'developer_mode_needed',
  'store_input_invalid',
  'store_app_unusable',
  'store_key_not_covering',
  'store_app_linked',
  'store_unreachable',
] as const
const WRITE_FAILURES = [...FAILURES, 'listing_check_failed', 'rate_limited'] as const

export function importRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'extstore-import', prefix: '/api/v1/private' })
    .use(kit)
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
        detail: {
          tags,
          summary: 'Preview an import from the external store',
          ...failsWith(...FAILURES, 'rate_limited'),
        },
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
        detail: {
          tags,
          summary: 'Import a listing from the external store, into a new draft or an existing listing',
          description: 'Turning sign-in on (`enable_auth`) needs a fresh confirmation.',
          'x-fresh': true,
          ...failsWith(...WRITE_FAILURES),
        },
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
        detail: {
          tags,
          summary: 'Import again from the linked app',
          ...failsWith(...WRITE_FAILURES, 'store_not_linked'),
        },
      },
    )
}
