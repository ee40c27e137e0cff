import { t } from 'elysia'

import { LICENSE_KINDS } from '../../domain/listings/licenses.ts'
import { Integer, OneOf } from '../../http/input/schema.ts'

/** Fixed by the protocol. */
export const STORE_PAGE_SIZE = 24
export const TAGS_SHOWN = 50
export const TAGS_FEATURED = 12

const Sent = (description: string, example: string) =>
  t.Optional(t.String({ description, examples: [example] }))

export const StoreParameters = t.Object(
  {
    query: Sent('Words of name, tagline and description; `#tag` for a tag.', 'grid #2d'),
    type: Sent('0 for add-ons (the default), 1 for templates and projects.', '0'),
    sort: Sent('relevance, or updated, reviews or created with _desc or _asc.', 'updated_desc'),
    compatibility: Sent('Declared compatible with this version.', '4.7'),
    licenses: t.Optional(
      t.Array(t.String(), { description: 'Licence kinds. Repeat the parameter.', examples: [['cc0']] }),
    ),
    page: Sent(`From 1, with ${STORE_PAGE_SIZE} packages each.`, '1'),
  },
  { additionalProperties: true },
)

export const TagsQuery = t.Object(
  { featured_only: Sent(`true: only the ${TAGS_FEATURED} most common.`, 'true') },
  { additionalProperties: true },
)

export const StoreIndex = t.Object({ name: t.String(), url: t.String({ format: 'uri' }) })

const Tag = t.Object({ display_name: t.String({ examples: ['Pixel art'] }), slug: t.String() })
export type StoreTag = typeof Tag.static
/** The editor shows them from last to first. */
export const StoreTags = t.Array(Tag, { description: 'The most common one comes last.' })

export const StoreLicenses = t.Array(t.Object({ type: OneOf(LICENSE_KINDS) }))

const asset = {
  name: t.String({ examples: ['Grid Kit'] }),
  slug: t.String({ description: 'Unique in this store.', examples: ['grid-kit'] }),
  store_url: t.String({ format: 'uri' }),
  license_type: t.String({ examples: ['cc0'] }),
  license_url: t.String({ format: 'uri' }),
  reviews_score: Integer({ description: 'How many players recommend it.', examples: [3] }),
  publisher: t.Object({ name: t.String(), slug: t.String(), verified: t.Boolean() }),
  thumbnail: t.String({ description: 'PNG; empty without a picture.' }),
}

export const StoreHits = t.Object({
  count: Integer({ minimum: 0 }),
  hits: t.Array(t.Object({ asset: t.Object(asset) })),
})
export type StoreHits = typeof StoreHits.static
export type StoreRow = StoreHits['hits'][number]['asset']

export const StoreAsset = t.Object({
  ...asset,
  body_bbcode: t.String(),
  source: t.String({ description: 'The website of the package; empty without one.' }),
  tags: t.Array(Tag),
  media: t.Array(t.String({ format: 'uri' }), { description: 'JPEG.' }),
})
export type StoreAsset = typeof StoreAsset.static

export const StoreReleases = t.Array(
  t.Object({
    download_url: t.String({ format: 'uri' }),
    version: t.String({ examples: ['1.2.0'] }),
    stable: t.Literal(true),
    min_godot_version: t.String({ examples: ['4.2'] }),
    max_godot_version: t.String({ examples: ['4.4.999'] }),
    changes_bbcode: t.String(),
  }),
  { description: 'The newest stable file, once for each range of versions.' },
)
export type StoreReleases = typeof StoreReleases.static
