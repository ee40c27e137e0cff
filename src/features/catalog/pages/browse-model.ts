import { t } from 'elysia'

import { CHILD_KINDS } from '../../../domain/listings/listing.ts'
import { Paged, PageQuery } from '../../../http/input/paging.ts'
import { Integer, Joined, Moment, OneOf, Uid } from '../../../http/input/schema.ts'
import { Card, Developer, VanityName } from './model.ts'

export const POPULAR_TAGS_DEFAULT = 20
export const POPULAR_TAGS_MAX = 50
export const SITEMAP_PAGE = 5000

const Url = t.String({ format: 'uri' })

export const ChildrenQuery = Joined([
  PageQuery,
  t.Object({
    kind: t.Optional(t.String({ description: 'mods, tools, or empty for both.', examples: ['mods'] })),
  }),
])

export const ChildCard = Joined(
  [
    Card,
    t.Object({
      kind: OneOf(CHILD_KINDS, { description: 'A plugin counts among mods.' }),
      same_creator: t.Boolean({ description: 'Whether the developer of the parent made it.' }),
    }),
  ],
  { $id: 'ChildCard' },
)
export type ChildCard = typeof ChildCard.static

export const PopularTagsQuery = t.Object({
  prefix: t.Optional(t.String({ description: 'The first letters of the tags.', examples: ['co'] })),
  limit: t.Optional(
    t.String({
      description: `1 to ${POPULAR_TAGS_MAX}, ${POPULAR_TAGS_DEFAULT} by default.`,
      examples: ['20'],
    }),
  ),
})

export const PopularTags = t.Object({
  tags: t.Array(t.Object({ tag: t.String({ examples: ['cozy'] }), count: Integer({ minimum: 1 }) })),
})
export type PopularTags = typeof PopularTags.static

export const SitemapQuery = t.Object({
  cursor: t.Optional(t.String({ description: 'The `next` of the previous page; empty for the first page.' })),
})

export const Sitemap = t.Object({
  listings: t.Array(t.Object({ uid: Uid, vanity_name: VanityName, url: Url, updated_at: Moment })),
  developers: t.Array(t.Object({ username: t.String(), url: Url, updated_at: Moment })),
  next: t.Nullable(t.String(), { description: 'The cursor of the next page; null on the last one.' }),
})
export type Sitemap = typeof Sitemap.static

export const StoreRules = t.Object({
  currency: t.Literal('USD'),
  min_price_cents: Integer({ examples: [99] }),
  max_price_cents: Integer({ examples: [9999] }),
  fee_percent: Integer({ examples: [10] }),
  payout_minimum_cents: Integer({ examples: [2500] }),
  free_allowed: t.Boolean(),
})

/** A developer with their public listings. */
export const DeveloperPage = Joined([Developer, t.Object({ url: Url, created_at: Moment }), Paged(Card)])
export type DeveloperPage = typeof DeveloperPage.static
