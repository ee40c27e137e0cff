import { Elysia, t } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { Paged, PageQuery } from '../../../http/input/schema.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { parsePage } from '../../../lib/paging.ts'
import { JamCode, JamCodeInput, LateLinkInput, NewJamCode, NewLateLink } from './model.ts'
import { createCode, createLateLink, endCode, listCodes } from './service.ts'

const tags = ['Jams']

export function jamCodeRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'jam-codes', prefix: '/api/v1/private/jams/:jam/manage' })
    .use(kit)
    .get(
      '/codes',
      async ({ actor, params, query }) =>
        ok(await listCodes(deps, actor, params.jam, false, parsePage(query))),
      {
        website: true,
        query: PageQuery,
        response: Envelope(Paged(JamCode)),
        detail: { tags, summary: 'Codes that admit to the jam, for its hosts; newest first' },
      },
    )
    .post(
      '/codes',
      async ({ actor, params, body, status }) =>
        status(201, ok(await createCode(deps, actor, params.jam, body))),
      {
        website: true,
        limit: 'account_write',
        body: JamCodeInput,
        response: { 201: Envelope(NewJamCode) },
        detail: { tags, summary: 'Make a code, which is shown once', ...failsWith('taken') },
      },
    )
    .delete(
      '/codes/:code_uid',
      async ({ actor, params }) => {
        await endCode(deps, actor, params.jam, false, params.code_uid)
        return ok({})
      },
      {
        website: true,
        limit: 'account_write',
        response: Envelope(t.Object({})),
        detail: { tags, summary: 'End a code; who joined with it stays' },
      },
    )
    .get(
      '/late-links',
      async ({ actor, params, query }) =>
        ok(await listCodes(deps, actor, params.jam, true, parsePage(query))),
      {
        website: true,
        query: PageQuery,
        response: Envelope(Paged(JamCode)),
        detail: { tags, summary: 'Late links, for hosts; newest first' },
      },
    )
    .post(
      '/late-links',
      async ({ actor, params, body, status }) =>
        status(201, ok(await createLateLink(deps, actor, params.jam, body))),
      {
        website: true,
        limit: 'account_write',
        body: LateLinkInput,
        response: { 201: Envelope(NewLateLink) },
        detail: {
          tags,
          summary: 'Let one person enter after the end: a link for one use, listed under Changes',
          ...failsWith('taken', 'jam_closed'),
        },
      },
    )
    .delete(
      '/late-links/:code_uid',
      async ({ actor, params }) => {
        await endCode(deps, actor, params.jam, true, params.code_uid)
        return ok({})
      },
      {
        website: true,
        limit: 'account_write',
        response: Envelope(t.Object({})),
        detail: { tags, summary: 'End a late link; an entry that it admitted stays' },
      },
    )
}
