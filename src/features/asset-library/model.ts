import { t } from 'elysia'

import { EDITOR_CATEGORIES, PACKAGE_KINDS } from '../../domain/listings/editor-packages.ts'
import { LICENSE_KINDS } from '../../domain/listings/listing.ts'
import { Integer, OneOf } from '../../http/input/schema.ts'

export const PAGE_LENGTH = 40
export const PAGE_LENGTH_MAX = 500
export const SUPPORT_LEVELS = ['official', 'community', 'testing'] as const
/** Every package here is made by its community. */
export const SUPPORT_LEVEL = 'community'

/** Editors parse numbers from texts, and compare ids by their JSON type: every field of a package is a text. */
const Text = (description: string, example: string) => t.String({ description, examples: [example] })
const Sent = (description: string, example: string) => t.Optional(Text(description, example))

export const ConfigureQuery = t.Object(
  { type: Sent('`addon` (the default), `project` or `any`.', 'project') },
  { additionalProperties: true },
)

const Category = t.Object({
  id: Text('Sent back as `category`.', '1'),
  name: Text('As shown in the editor.', EDITOR_CATEGORIES[0]?.name ?? ''),
  type: Text('0 for add-ons, 1 for projects.', '0'),
})

export const Configuration = t.Object({
  categories: t.Array(Category),
  login_url: Text('Where to create a player key, which adds what you own.', 'https://store.example/account'),
})
export type Configuration = typeof Configuration.static

export const LibraryParameters = t.Object(
  {
    type: Sent('`addon` (the default), `project` or `any`.', 'addon'),
    filter: Sent('Words that start a word of title, author or tags.', 'grid'),
    category: Sent('A category of `configure`.', '1'),
    godot_version: Sent('Declared compatible with this version; `any` for all.', '4.3'),
    support: Sent(`\`${SUPPORT_LEVEL}\` among others joined with \`+\`, or nothing.`, 'official+community'),
    cost: Sent('One licence kind.', 'cc0'),
    user: Sent('One author.', 'ada'),
    sort: Sent('updated (the default, newest first), name, cost or rating.', 'name'),
    reverse: Sent('Present: the other way around.', 'true'),
    page: Sent('From 0.', '0'),
    offset: Sent('Instead of `page`.', '40'),
    max_results: Sent(`1 to ${PAGE_LENGTH_MAX}, ${PAGE_LENGTH} by default.`, '40'),
  },
  { additionalProperties: true },
)

const row = {
  asset_id: Text('A number that never changes.', '101'),
  title: Text('', 'Grid Kit'),
  author: Text('The username.', 'ada'),
  author_id: Text('A number that never changes.', '7'),
  category: Text('', 'Tools'),
  category_id: Text('', '5'),
  godot_version: Text('The oldest supported version.', '3.2'),
  rating: Text('How many players recommend it.', '3'),
  cost: Text('The licence kind.', 'cc0'),
  support_level: OneOf([SUPPORT_LEVEL]),
  icon_url: t.String({ description: 'PNG; empty without a picture.' }),
  version: Text('How many stable builds there have been.', '3'),
  version_string: Text('The version of the newest stable file.', '1.2.0'),
  modify_date: t.String({
    description: 'When the newest stable file was uploaded, in UTC: `YYYY-MM-DD HH:MM:SS`.',
  }),
}

export const LibraryRow = t.Object(row, { $id: 'LibraryRow' })
export type LibraryRow = typeof LibraryRow.static

export const LibraryPage = t.Object({
  result: t.Array(LibraryRow),
  page: Integer({ minimum: 0 }),
  pages: Integer({ minimum: 0 }),
  page_length: Integer({ minimum: 1 }),
  total_items: Integer({ minimum: 0 }),
  total: Integer({ minimum: 0, description: 'The same; editors read this one.' }),
})
export type LibraryPage = typeof LibraryPage.static

export const LibraryAsset = t.Object({
  ...row,
  type: OneOf(PACKAGE_KINDS),
  description: t.String({ description: 'BBCode.' }),
  download_provider: Text('', 'Custom'),
  download_commit: t.String(),
  download_hash: t.String({
    description: 'SHA-256 of the zip in hex.',
    pattern: '^[0-9a-f]{64}$',
    examples: ['2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'],
  }),
  download_url: t.String({ format: 'uri' }),
  browse_url: t.String({ format: 'uri', description: 'The store page.' }),
  issues_url: t.String({ format: 'uri' }),
  searchable: Text('', '1'),
  previews: t.Array(
    t.Object({
      preview_id: Text('', '1'),
      type: OneOf(['image']),
      link: t.String({ format: 'uri', description: 'JPEG.' }),
      thumbnail: t.String({ format: 'uri', description: 'JPEG.' }),
    }),
  ),
})
export type LibraryAsset = typeof LibraryAsset.static

/** Fixed by the protocol. */
export const STORE_PAGE_SIZE = 24
export const TAGS_SHOWN = 50
export const TAGS_FEATURED = 12

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
