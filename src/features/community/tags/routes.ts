import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { Envelope, ok } from '../../../http/envelope.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { PageQuery } from '../../../http/paging.ts'
import { readPage } from '../../../lib/paging.ts'
import { HiddenInput, SuggestedTag, SuggestedTagPage, SuggestionInput, Suggestions } from './model.ts'
import { listSuggestedTags, readSuggestions, setTagHidden, suggestTags } from './service.ts'

const tags = ['Community tags']

export function communityTagRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'community-tags', prefix: '/api/v1/private/games/:uid' })
    .use(kit)
    .get(
      '/tag-suggestions',
      async ({ actor, params }) => ok(await readSuggestions(deps.db, actor, params.uid)),
      {
        website: true,
        response: Envelope(Suggestions),
        detail: { tags, summary: 'Your suggested tags' },
      },
    )
    .put(
      '/tag-suggestions',
      async ({ actor, params, body }) => ok(await suggestTags(deps, actor, params.uid, body.tags)),
      {
        website: true,
        body: SuggestionInput,
        response: Envelope(Suggestions),
        detail: { tags, summary: 'Replace your suggested tags' },
      },
    )
    .get(
      '/community-tags',
      async ({ actor, params, query }) =>
        ok(await listSuggestedTags(deps.db, actor, params.uid, readPage(query))),
      {
        website: true,
        query: PageQuery,
        response: Envelope(SuggestedTagPage),
        detail: { tags, summary: 'Every suggested tag, most suggested first' },
      },
    )
    .put(
      '/community-tags/:tag',
      async ({ actor, params, body }) =>
        ok(await setTagHidden(deps, actor, params.uid, params.tag, body.hidden)),
      {
        website: true,
        body: HiddenInput,
        response: Envelope(SuggestedTag),
        detail: { tags, summary: 'Hide a suggested tag, or show it again' },
      },
    )
}
