import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { PageQuery } from '../../../http/input/schema.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { parsePage } from '../../../lib/paging.ts'
import { SuggestedTag, SuggestedTagEdit, SuggestedTagPage, SuggestionEdit, Suggestions } from './model.ts'
import { listSuggestedTags, loadSuggestedTag, loadSuggestions, setTagHidden, suggestTags } from './service.ts'

const tags = ['Community tags']

export function communityTagRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'community-tags', prefix: '/api/v1/private/games/:uid' })
    .use(kit)
    .get(
      '/tag-suggestions',
      async ({ actor, params }) => ok(await loadSuggestions(deps.db, actor, params.uid)),
      {
        website: true,
        response: Envelope(Suggestions),
        detail: { tags, summary: 'Your suggested tags' },
      },
    )
    .put(
      '/tag-suggestions',
      async ({ actor, params, body }) => {
        const { tags } = await SuggestionEdit.settle(body, () => loadSuggestions(deps.db, actor, params.uid))
        return ok(await suggestTags(deps, actor, params.uid, tags))
      },
      {
        website: true,
        body: SuggestionEdit.body,
        response: Envelope(Suggestions),
        detail: { tags, summary: 'Replace your suggested tags' },
      },
    )
    .get(
      '/community-tags',
      async ({ actor, params, query }) =>
        ok(await listSuggestedTags(deps.db, actor, params.uid, parsePage(query))),
      {
        website: true,
        query: PageQuery,
        response: Envelope(SuggestedTagPage),
        detail: { tags, summary: 'Every suggested tag, most suggested first' },
      },
    )
    .put(
      '/community-tags/:tag',
      async ({ actor, params: { uid, tag }, body }) => {
        const { hidden } = await SuggestedTagEdit.settle(body, () =>
          loadSuggestedTag(deps.db, actor, uid, tag),
        )
        return ok(await setTagHidden(deps, actor, uid, tag, hidden))
      },
      {
        website: true,
        body: SuggestedTagEdit.body,
        response: Envelope(SuggestedTag),
        detail: { tags, summary: 'Hide a suggested tag, or show it again' },
      },
    )
}
