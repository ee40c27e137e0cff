import { t } from 'elysia'

import { ENGINES, type Facet, FACETS } from '../../../clients/search/search-engine.ts'
import { Paged, PageQuery } from '../../../http/input/paging.ts'
import { Integer, Joined, OneOf } from '../../../http/input/schema.ts'
import { QUERY_CHARACTERS_MAX, QUERY_WORDS_MAX } from '../../../lib/text/search-words.ts'
import { Card } from '../pages/model.ts'

/** The longest value a listing can have. */
export const VALUE_CHARACTERS_MAX = 64
/** Far more than anyone selects. */
export const VALUES_MAX = 100
/** What is read of a list; some pieces may be empty or repeated. */
export const PIECES_MAX = 4 * VALUES_MAX

/** Of every list in a query string. */
export const LISTS_RULE = `Lists take several values separated by commas, or the parameter repeated. Only the first ${VALUES_MAX} are used; a value of more than ${VALUE_CHARACTERS_MAX} characters matches nothing.`
const TEXT_BOUND = `The first ${QUERY_WORDS_MAX} words within ${QUERY_CHARACTERS_MAX} characters count.`

const Values = (description: string, ...examples: string[]) =>
  t.Optional(
    t.Array(t.String(), {
      description,
      examples: [examples],
    }),
  )
const Value = (description: string, example: string) =>
  t.Optional(t.String({ description, examples: [example] }))

/** Unknown values are ignored, so no query is invalid. */
export const SearchParameterList = Joined(
  [
    t.Object({
      q: Value(
        `Words to find in name, tagline and description. All must match; the last one matches as a prefix. ${TEXT_BOUND}`,
        'lantern keep',
      ),
      search: Value('Alias of `q`.', 'lantern keep'),
      asset_type: Values('Types of listings.', 'game', 'mod'),
      type: Values('Alias of `asset_type`.', 'game'),
      genres: Values('Any of these genres.', 'puzzle'),
      tags: Values('Any of these tags, set by the developer or shown by the community.', 'cozy'),
      tone: Values('Any of these tones.', 'cozy'),
      ai_uses: Values('Discloses generative AI for any of these parts.', 'art'),
      session_bucket: Values('How long a session takes.', '15m'),
      net: Values('How it is played together.', 'online'),
      authorship: Values('Who made it.', 'human'),
      os: Values('Has a clean build for any of these.', 'linux'),
      arch: Values('With `os`: the build is for any of these architectures.', 'x86_64'),
      players: Value('Can be played by this many.', '4'),
      engine: Values('Made with this engine, or declared compatible with it.', 'godot'),
      engine_version: Value('Declared compatible with this version.', '4.2'),
      renderer: Value('Declared compatible with this renderer.', 'vulkan'),
      license: Value('One licence kind.', 'cc0'),
      collection: Value('Is in this collection of the operators, named by its slug.', 'rainy-days'),
      exclude_types: Values('None of these types.', 'mod'),
      exclude_genres: Values('None of these genres.', 'horror'),
      exclude_tone: Values('None of these tones.', 'dark'),
      exclude_tags: Values('None of these tags, including tags of the community.', 'gore'),
      exclude_warnings: Values('None of these content warnings.', 'violence'),
      exclude_ai_uses: Values('No generative AI for any of these parts.', 'voice'),
      show_hidden: Value('true: also with the tags that the reader always hides.', 'true'),
      sort: Value('relevance (the default), newest or updated.', 'newest'),
    }),
    PageQuery,
  ],
  { additionalProperties: true },
)

const FacetCounts = t.Record(t.String(), Integer({ minimum: 1 }))

/** Counts per value, ignoring the selection in the facet itself. */
export const Facets = t.Object(
  Object.fromEntries(FACETS.map((facet) => [facet, FacetCounts])) as Record<Facet, typeof FacetCounts>,
)
export type Facets = typeof Facets.static

export const SearchAnswer = Joined([
  Paged(Card),
  t.Object({
    facets: Facets,
    engine: OneOf(ENGINES, { description: 'The engine that returned the results.' }),
    took_ms: Integer({ minimum: 0, examples: [4] }),
  }),
])
export type SearchAnswer = typeof SearchAnswer.static
