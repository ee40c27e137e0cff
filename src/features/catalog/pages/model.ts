import type { TUnsafe } from '@sinclair/typebox'
import { t, type TSchema } from 'elysia'

import { HEALTH_BANDS } from '../../../domain/builds/health.ts'
import { OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import { type TaxonomyField } from '../../../domain/listings/field-kinds.ts'
import {
  AUTHORSHIPS,
  mapFields,
  TAXONOMY,
  type TaxonomyName,
  type TaxonomyValues,
} from '../../../domain/listings/fields.ts'
import {
  ASSET_TYPES,
  CHILD_KINDS,
  DEPENDENCY_KINDS,
  LICENSE_KINDS,
  STATUSES,
} from '../../../domain/listings/listing.ts'
import { OPEN_VISIBILITIES } from '../../../domain/listings/visibility.ts'
import { Integer, Joined, Moment, OneOf, Paged, PageQuery, Uid } from '../../../http/input/schema.ts'
import { Developer, profileFields } from '../../accounts/profile/model.ts'
import { ModCompat } from '../../builds/comparison/model.ts'
import { appFields } from '../../builds/model.ts'
import { ScanEngine } from '../../builds/registry/model.ts'
import { CommunityTag } from '../../community/tags/model.ts'
import { ChangelogEntry } from '../../listings/changelog/model.ts'
import { Image } from '../../listings/images/model.ts'
import { EngineCompat, LanguageSupport, ModSettings, Requirements } from '../../listings/page/model.ts'
import { Edition, Price } from '../../listings/pricing/model.ts'
import { StoreLink } from '../../listings/store-links/model.ts'
import { Video } from '../../listings/videos/model.ts'

const SCAN_STATES = ['clean', 'scanning', 'infected', 'error'] as const

const VanityName = t.String({ examples: ['lantern-keeper'] })
const AssetType = OneOf(ASSET_TYPES)
const Slugs = t.Array(t.String({ examples: ['cozy'] }))

/** The fields of the taxonomy as pages show them. */
const Shown = mapFields<TaxonomyName, TaxonomyField, TSchema>(TAXONOMY, (field) => {
  if (field.kind === 'slugs') return Slugs
  if (field.kind === 'choices') return t.Array(OneOf(field.values))
  if (field.kind === 'choice') return t.Nullable(OneOf(field.values))
  if (field.kind === 'languages') return t.Array(LanguageSupport)
  if (field.kind === 'requirements') return Requirements
  return t.Nullable(field.kind === 'number' ? Integer() : t.String())
}) as { [Name in TaxonomyName]: TUnsafe<TaxonomyValues[Name]> }
/** The page shows these beside the taxonomy. */
const APART = [
  'authorship',
  'authorship_credit',
  'ai_uses',
  'accessibility',
  'languages',
  'requirements',
] as const

export const Taxonomy = t.Omit(t.Object(Shown), APART, { $id: 'Taxonomy' })
export type Taxonomy = typeof Taxonomy.static

const Authorship = t.Object({
  value: OneOf(AUTHORSHIPS),
  label: t.String({ examples: ['made by people'] }),
  credit: Shown.authorship_credit,
})

/** A listing here, or an external game. */
export const Parent = t.Union([
  t.Object({ game: Uid, vanity_name: VanityName, name: t.String(), asset_type: AssetType }),
  t.Object({ external_name: t.String(), external_url: t.String({ format: 'uri' }) }),
])
export type Parent = typeof Parent.static

const Health = t.Object({ band: OneOf(HEALTH_BANDS) })

/** The fields that page and card share. */
const shared = {
  uid: Uid,
  vanity_name: VanityName,
  name: t.String({ examples: ['Lantern Keeper'] }),
  tagline: t.String(),
  asset_type: AssetType,
  status: OneOf(STATUSES),
  visibility: OneOf(OPEN_VISIBILITIES),
  url: t.String({ format: 'uri' }),
  developer: Developer,
  price: Price,
  cover: t.Nullable(Image),
  thumbnail: t.Nullable(Image),
  taxonomy: Taxonomy,
  authorship: t.Nullable(Authorship),
  ai_uses: Shown.ai_uses,
  community_tags: t.Array(CommunityTag),
  adult: t.Boolean(),
  indexable: t.Boolean(),
  parent: t.Nullable(Parent),
  has_mods: t.Boolean(),
  has_tools: t.Boolean(),
  health: Health,
  license_kind: t.Nullable(OneOf(LICENSE_KINDS)),
  published_at: t.Nullable(Moment),
  updated_at: Moment,
}
export const SharedFields = t.Object(shared)
export type SharedFields = typeof SharedFields.static

/** A listing in search results, shelves and lists. */
export const Card = t.Object(
  {
    ...shared,
    engines: Shown.engines,
    content_warnings: Shown.content_warnings,
    scan: t.Nullable(OneOf(SCAN_STATES), { description: 'The best scan state across its files.' }),
    platforms: t.Array(OneOf(OPERATING_SYSTEMS)),
    playable: t.Boolean({ description: 'Whether it can be played in the browser.' }),
    playable_on_phones: t.Boolean({ description: 'Whether that is offered to phones too.' }),
    score: t.Number({ description: 'The relevance for the searched text; 0 without one.' }),
    matched_tags: Slugs,
    followed: t.Optional(t.Boolean({ description: 'In searches of a player: whether they follow it.' })),
    wished: t.Optional(
      t.Boolean({ description: 'In searches of a player: whether it is on their wishlist.' }),
    ),
  },
  { $id: 'Card' },
)
export type Card = typeof Card.static

/** A popular asset pack has more dependents than a page can show. */
export const USED_BY_MAX = 50
export const CHANGELOG_SHOWN = 10

const Relation = t.Object(
  {
    kind: OneOf(DEPENDENCY_KINDS),
    uid: Uid,
    vanity_name: VanityName,
    name: t.String(),
    asset_type: AssetType,
  },
  { $id: 'Relation' },
)

const Relations = t.Object({ uses: t.Array(Relation), used_by: t.Array(Relation) })
export type Relations = typeof Relations.static

const SimilarTitle = t.Object({
  uid: Uid,
  vanity_name: VanityName,
  name: t.String(),
  asset_type: AssetType,
  tagline: t.String(),
  cover: t.Nullable(Image),
})
export type SimilarTitle = typeof SimilarTitle.static

const ShownModSettings = t.Object({
  ...ModSettings.properties,
  instructions_html: t.Nullable(t.String()),
})
export type ShownModSettings = typeof ShownModSettings.static

const WebPlayer = t.Object({
  url: t.String({ format: 'uri', description: 'The page on which it is played.' }),
  width: Integer({ examples: [960] }),
  height: Integer({ examples: [600] }),
  isolation: t.Boolean({ description: 'Whether threads and shared memory work.' }),
  mobile: t.Boolean(),
  downloadable: t.Boolean({ description: 'Whether the page also offers the build as a file.' }),
  bytes: Integer({ minimum: 0, description: 'The size of the whole build.' }),
  build_id: Uid,
  version: t.String(),
})
export type ShownWebPlayer = typeof WebPlayer.static

export const PublicFile = t.Object(
  {
    file_uid: Uid,
    filename: t.String(),
    size: Integer({ minimum: 0 }),
    checksum: t.String({ description: 'SHA-256 in hex.' }),
    ...appFields,
    os: OneOf(OPERATING_SYSTEMS),
    arch: t.String(),
    channel: t.String(),
    version: t.String(),
    build_id: Uid,
    scan: OneOf(SCAN_STATES),
    scan_engine: ScanEngine,
    uploaded_at: Moment,
    apk: t.Boolean({
      description: 'Whether the only .apk inside an Android build can be downloaded by itself: `?as=apk`.',
    }),
  },
  { $id: 'PublicFile' },
)
export type PublicFile = typeof PublicFile.static

const WidePicture = t.Object({
  url: t.String({ format: 'uri' }),
  width: Integer({ examples: [1920] }),
  height: Integer({ examples: [1080] }),
})

export const Listing = t.Object(
  {
    ...SharedFields.properties,
    description: t.String({ description: 'Markdown, as written.' }),
    description_html: t.String(),
    website: t.Nullable(t.String({ format: 'uri' })),
    editions: t.Array(Edition),
    cover_wide: t.Nullable(WidePicture, {
      description: 'The cover in more pixels; null where its upload had no more.',
    }),
    gallery: t.Array(Image),
    videos: t.Array(Video),
    accent: t.Nullable(t.String({ examples: ['#8a6a2f'] }), {
      description: 'The colour that carries the cover; null without one, or for a grey one.',
    }),
    pay_more: t.Boolean({
      description: 'Whether buyers may choose to pay more, and players something for a free listing.',
    }),
    anonymous_downloads: t.Boolean(),
    engine_compat: EngineCompat,
    relations: Relations,
    mod_compat: t.Nullable(ModCompat, {
      description: 'Only for mods and plugins of a game of this store.',
    }),
    mod_settings: t.Nullable(ShownModSettings, { description: 'Only for mods and plugins.' }),
    web_player: t.Nullable(WebPlayer, { description: 'Null where it cannot be played in the browser.' }),
    store_links: t.Array(StoreLink),
    accessibility: Shown.accessibility,
    languages: Shown.languages,
    requirements: Shown.requirements,
    files: t.Array(PublicFile, { description: 'Of the game itself first, then of its other apps.' }),
    similar_titles: t.Array(SimilarTitle),
    changelog: t.Array(ChangelogEntry, { description: `The newest ${CHANGELOG_SHOWN} entries.` }),
  },
  { $id: 'Listing' },
)
export type Listing = typeof Listing.static

export const RelationsOnly = t.Object({
  license_kind: t.Nullable(OneOf(LICENSE_KINDS)),
  engine_compat: EngineCompat,
  relations: Relations,
})
export type RelationsOnly = typeof RelationsOnly.static

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
export const DeveloperPage = Joined([
  Developer,
  t.Object({
    url: Url,
    ...profileFields,
    bio_html: t.String(),
    featured: t.Nullable(Uid, { description: 'One of their public listings.' }),
    created_at: Moment,
  }),
  Paged(Card),
])
export type DeveloperPage = typeof DeveloperPage.static
