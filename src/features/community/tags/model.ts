import { t } from 'elysia'

import { Integer, Paged, Strict, writable } from '../../../http/input/schema.ts'

/** Tags one player may suggest for one game. */
export const SUGGESTIONS_MAX = 5
/** Players who must have suggested a tag before it is shown. */
export const VOTES_TO_SHOW = 3
export const SHOWN_MAX = 10

export const CommunityTag = t.Object(
  { tag: t.String({ examples: ['cozy'] }), votes: Integer({ minimum: 0, examples: [7] }) },
  { $id: 'CommunityTag' },
)
export type CommunityTag = typeof CommunityTag.static

/** The service validates the tags themselves, because those errors have a code of their own. */
export const SuggestionInput = Strict({ tags: t.Array(t.String()) })

/** The player's own tags, and those that the page shows now. */
export const Suggestions = t.Object({
  tags: t.Array(t.String()),
  community_tags: t.Array(CommunityTag),
})
export type Suggestions = typeof Suggestions.static
export const SuggestionEdit = writable(SuggestionInput, Suggestions)

export const HiddenInput = Strict({ hidden: t.Boolean() })

/** A suggested tag as owner and admins see it. */
export const SuggestedTag = t.Object({
  tag: t.String(),
  votes: Integer({ minimum: 0 }),
  hidden: t.Boolean(),
  shown: t.Boolean(),
})
export type SuggestedTag = typeof SuggestedTag.static
export const SuggestedTagEdit = writable(HiddenInput, SuggestedTag)

export const SuggestedTagPage = Paged(SuggestedTag)
export type SuggestedTagPage = typeof SuggestedTagPage.static
