import { t } from 'elysia'

import { HEALTH_BANDS } from '../../../domain/builds/health-bands.ts'
import { OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import { LICENSE_KINDS } from '../../../domain/listings/licenses.ts'
import { ASSET_TYPES, STATUSES } from '../../../domain/listings/listing.ts'
import {
  AI_USES,
  AUTHORSHIPS,
  CONTENT_WARNINGS,
  GENRES,
  INPUTS,
  NETS,
  SESSION_BUCKETS,
  TONES,
} from '../../../domain/listings/taxonomy.ts'
import { OPEN_VISIBILITIES } from '../../../domain/listings/visibility.ts'
import { Integer, Moment, OneOf, Uid } from '../../../http/input/schema.ts'
import { CommunityTag } from '../../community/tags/model.ts'
import { Image } from '../../listings/images/model.ts'
import { Price } from '../../listings/pricing/model.ts'

export const SCAN_STATES = ['clean', 'scanning', 'infected', 'error'] as const

export const VanityName = t.String({ examples: ['lantern-keeper'] })
export const AssetType = OneOf(ASSET_TYPES)
const Slugs = t.Array(t.String({ examples: ['cozy'] }))
const ContentWarnings = t.Array(OneOf(CONTENT_WARNINGS))

export const Developer = t.Object({ uid: Uid, username: t.String({ examples: ['ada'] }) })

export const Taxonomy = t.Object(
  {
    genres: t.Array(OneOf(GENRES)),
    tags: Slugs,
    tone: t.Array(OneOf(TONES)),
    inputs: t.Array(OneOf(INPUTS)),
    content_warnings: ContentWarnings,
    engines: Slugs,
    session_bucket: t.Nullable(OneOf(SESSION_BUCKETS)),
    net: t.Nullable(OneOf(NETS)),
    players_min: t.Nullable(Integer()),
    players_max: t.Nullable(Integer()),
  },
  { $id: 'Taxonomy' },
)
export type Taxonomy = typeof Taxonomy.static

const Authorship = t.Object({
  value: OneOf(AUTHORSHIPS),
  label: t.String({ examples: ['made by people'] }),
  credit: t.Nullable(t.String()),
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
  ai_uses: t.Array(OneOf(AI_USES)),
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
    engines: Slugs,
    content_warnings: ContentWarnings,
    scan: t.Nullable(OneOf(SCAN_STATES), { description: 'The best scan state across its files.' }),
    platforms: t.Array(OneOf(OPERATING_SYSTEMS)),
    playable: t.Boolean({ description: 'Whether it can be played in the browser.' }),
    score: t.Number({ description: 'The relevance for the searched text; 0 without one.' }),
    matched_tags: Slugs,
  },
  { $id: 'Card' },
)
export type Card = typeof Card.static
