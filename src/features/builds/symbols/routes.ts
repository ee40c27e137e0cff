import { Elysia, t } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { Paged } from '../../../http/input/paging.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { readPage } from '../../../lib/paging.ts'
import { Symbols, SymbolsQuery } from './model.ts'
import { listSymbols, removeSymbols } from './service.ts'

const tags = ['Builds']

export function symbolRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'symbols', prefix: '/api/v1/private/games/:uid' })
    .use(kit)
    .get(
      '/symbols',
      async ({ actor, params, query }) =>
        ok(await listSymbols(deps, actor, params.uid, query.build_id, readPage(query))),
      {
        websiteOrAgent: 'mcp:builds.read',
        query: SymbolsQuery,
        response: Envelope(Paged(Symbols)),
        detail: { tags, summary: 'The symbols of a game, newest first' },
      },
    )
    .delete(
      '/symbols/:symbol_uid',
      async ({ actor, params }) => {
        await removeSymbols(deps, actor, params.uid, params.symbol_uid)
        return ok({})
      },
      {
        websiteOrAgent: 'mcp:builds.write',
        response: Envelope(t.Object({})),
        detail: { tags, summary: 'Delete symbols' },
      },
    )
}
