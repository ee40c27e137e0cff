import { t } from 'elysia'

import { OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import { ASSET_TYPES, STATUSES } from '../../../domain/listings/listing.ts'
import { Joined, OneOf, Uid } from '../../../http/input/schema.ts'
import { Developer } from '../../accounts/profile/model.ts'
import { appFields } from '../../builds/model.ts'
import { ChangelogEntry } from '../changelog/model.ts'
import { Image } from '../images/model.ts'
import { LanguageSupport } from '../page/model.ts'
import { Video } from '../videos/model.ts'

export const RELEASE_DATE_MAX = 32
/** Features, awards, links and quotes. */
export const LIST_MAX = 20
export const LINE_MAX = 200
export const HISTORY_MAX = 8000
export const TEAM_MAX = 50
export const CREDIT_NAME_MAX = 80

const NullableUrl = t.Nullable(t.String({ examples: ['https://games.example.org/'] }))

/** Fields that were not given are empty strings. */
export const PressKit = t.Object({
  release_date: t.String({ examples: ['Spring 2026'] }),
  contact_email: t.String({ examples: ['press@example.org'] }),
  website: t.String({ examples: ['https://games.example.org/'] }),
  trailer_url: t.String({ examples: ['https://video.example.org/trailer'] }),
  history: t.String({ description: 'Markdown, as it was written.' }),
  features: t.Array(t.String({ examples: ['Twelve lighthouses to repair'] })),
  awards: t.Array(t.String({ examples: ['Best of Show, Example Fest 2026'] })),
  links: t.Array(
    t.Object({
      label: t.String({ examples: ['Presskit'] }),
      url: t.String({ examples: ['https://games.example.org/press'] }),
    }),
  ),
  quotes: t.Array(
    t.Object({
      text: t.String({ examples: ['A quiet joy.'] }),
      source: t.String({ examples: ['Example Magazine'] }),
      url: NullableUrl,
    }),
  ),
  team: t.Array(
    t.Object({
      name: t.String({ examples: ['Ada'] }),
      role: t.Nullable(t.String({ examples: ['Music'] })),
      url: NullableUrl,
    }),
  ),
})
export type PressKit = typeof PressKit.static

/** A press page: the kit and facts from the listing. */
export const Factsheet = Joined(
  [
    t.Object({
      uid: Uid,
      vanity_name: t.String({ examples: ['lighthouse'] }),
      name: t.String({ examples: ['Lighthouse'] }),
      tagline: t.String({ examples: ['Repair the stars.'] }),
      description: t.String({ description: 'Markdown, as it was written.' }),
      description_html: t.String(),
      asset_type: OneOf(ASSET_TYPES),
      status: OneOf(STATUSES),
      developer: Developer,
      url: t.String({ format: 'uri', description: 'The store page.' }),
      platforms: t.Array(OneOf(OPERATING_SYSTEMS)),
      other_apps: t.Array(t.Object({ ...appFields, platforms: t.Array(OneOf(OPERATING_SYSTEMS)) }), {
        description: 'What can be downloaded besides the game itself, such as its server.',
      }),
      cover: t.Nullable(Image),
      thumbnail: t.Nullable(Image),
      gallery: t.Array(Image),
      videos: t.Array(Video),
      languages: t.Array(LanguageSupport),
      changelog: t.Array(ChangelogEntry, { description: 'The newest entries.' }),
      adult: t.Boolean(),
      indexable: t.Boolean(),
    }),
    PressKit,
    t.Object({
      history_html: t.String(),
      press_zip_url: t.String({ format: 'uri', description: 'The factsheet and all images in one file.' }),
      updated_at: t.String({ format: 'date-time' }),
    }),
  ],
  { $id: 'PressFactsheet' },
)
export type Factsheet = typeof Factsheet.static
