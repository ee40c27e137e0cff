import { t } from 'elysia'

import { ASSET_TYPES, LICENSE_SOURCES } from '../../../domain/listings/listing.ts'
import { Integer, Joined, Moment, OneOf, PageQuery, Strict, Uid } from '../../../http/input/schema.ts'
import { personFields } from '../../accounts/profile/model.ts'
import { Image } from '../../listings/images/model.ts'

export const FILTER_TEXT_MAX = 200

/** Why a licence may give no access to its files. */
const UNAVAILABLE = ['pending', 'adult', 'missing'] as const

/** `kept` excludes pending gifts; `hidden` is what the holder took out of the library. */
export const LIBRARY_PARTS = ['all', 'kept', 'pending', 'hidden'] as const
export type LibraryPart = (typeof LIBRARY_PARTS)[number]

const Source = OneOf(LICENSE_SOURCES)

export const LibraryItem = t.Object({
  /** For a page that is hidden or deleted: only its uid, and its name when the licence was given. */
  game: t.Object({
    uid: Uid,
    vanity_name: t.Nullable(t.String()),
    name: t.Nullable(t.String()),
    asset_type: t.Nullable(OneOf(ASSET_TYPES)),
    url: t.Nullable(t.String({ format: 'uri' })),
    cover: t.Nullable(Image),
  }),
  source: Source,
  since: Moment,
  play_minutes: Integer({ minimum: 0 }),
  last_played_at: t.Nullable(Moment, {
    description: 'Null if it was not played, or not since this is kept.',
  }),
  order: t.Nullable(Uid, { description: 'The order that pays for it, if one does.' }),
  beta: t.Boolean(),
  pending: t.Boolean({ description: 'A gift that waits to be accepted.' }),
  hidden: t.Boolean({ description: 'Taken out of the library by its holder.' }),
  unavailable: t.Nullable(OneOf(UNAVAILABLE), {
    description:
      'Why its files cannot be had now: a gift that is not accepted, adult content that is off, or a page that is gone. Null where they can.',
  }),
  removed_at: t.Nullable(Moment, { description: 'When the listing was deleted; null while it exists.' }),
})
export type LibraryItem = typeof LibraryItem.static

export const LIBRARY_SORTS = ['newest', 'name', 'played', 'recent'] as const
export type LibrarySort = (typeof LIBRARY_SORTS)[number]

export const LibraryQuery = Joined([
  PageQuery,
  t.Object({
    q: t.Optional(t.String({ description: 'Part of the name.', examples: ['lantern'] })),
    sort: t.Optional(
      t.String({
        description: 'newest (the default), name, played (longest) or recent (last played).',
        examples: ['name'],
      }),
    ),
    show: t.Optional(
      t.String({
        description:
          'all (the default), kept, pending (gifts that wait) or hidden (taken out of the library).',
        examples: ['pending'],
      }),
    ),
  }),
])

export const LicenseInput = Strict({ username: t.String() })

/** A licence as owner and admins see it. */
export const License = t.Object({
  ...personFields,
  source: Source,
  since: Moment,
  pending: t.Boolean({ description: 'A gift that its holder has not accepted.' }),
})
export type License = typeof License.static
