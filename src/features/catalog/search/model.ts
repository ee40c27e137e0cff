import { t } from 'elysia'

import { ENGINES } from '../../../clients/search/search-engine.ts'
import {
  ALIASES,
  type Facet,
  FACETS,
  FILTERS,
  SEARCH_PARAMETERS,
  type SearchParameter,
} from '../../../domain/listings/facets.ts'
import { mapFields } from '../../../domain/listings/fields.ts'
import { Integer, Joined, OneOf, Paged, PageQuery } from '../../../http/input/schema.ts'
import { personFields } from '../../accounts/profile/model.ts'
import { Card } from '../pages/model.ts'

/** The longest value a listing can have. */
export const VALUE_CHARACTERS_MAX = 64
/** Far more than anyone selects. */
export const VALUES_MAX = 100
/** How many pieces of a list are read; some of them may be empty or repeated. */
export const PIECES_MAX = 4 * VALUES_MAX

/** The rule for every list in a query string. */
export const LISTS_RULE = `Lists take several values separated by commas, or the parameter repeated. Only the first ${VALUES_MAX} are used; a value of more than ${VALUE_CHARACTERS_MAX} characters matches nothing.`

const Parameter = ({ about: description, examples, isList }: SearchParameter) =>
  t.Optional(
    isList
      ? t.Array(t.String(), { description, examples: [examples] })
      : t.String({ description, examples: [...examples] }),
  )
const OTHER_NAMES = [...ALIASES].flatMap(([alias, name]) => {
  const parameter = SEARCH_PARAMETERS[name]
  if (!parameter) return []
  const examples = parameter.examples.slice(0, 1)
  return [[alias, Parameter({ ...parameter, about: `Alias of \`${name}\`.`, examples })] as const]
})

/** Unknown values are ignored, so no query is invalid. */
export const SearchParameterList = Joined(
  [t.Object({ ...mapFields(SEARCH_PARAMETERS, Parameter), ...Object.fromEntries(OTHER_NAMES) }), PageQuery],
  { additionalProperties: true },
)

const FacetCounts = t.Record(t.String(), Integer({ minimum: 1 }))

/** Counts per value, ignoring the selection in the facet itself. */
export const Facets = t.Object(mapFields(FILTERS, () => FacetCounts))
export type Facets = typeof Facets.static

const FacetName = OneOf(FACETS as [Facet, ...Facet[]])

const UnderstoodWord = t.Object({
  word: t.String({ description: 'As it was typed.', examples: ['cozy'] }),
  facet: FacetName,
  value: t.String({ examples: ['cozy'] }),
  label: t.String({ examples: ['cozy'] }),
  excludes: t.Boolean({ description: 'Whether listings with it are left out.' }),
})
export type UnderstoodWord = typeof UnderstoodWord.static

/** Only with `find`. */
const findFields = {
  understood: t.Optional(
    t.Array(UnderstoodWord, {
      description: 'With `find`: its words that are values of a facet. A word can be a value of several.',
    }),
  ),
  did_you_mean: t.Optional(
    t.Nullable(
      t.String({
        description:
          'With `find`, where nothing was found: the same with the nearest words that find something.',
      }),
    ),
  ),
}

export const SearchAnswer = Joined([
  Paged(Card),
  t.Object({
    facets: Facets,
    ...findFields,
    engine: OneOf(ENGINES, { description: 'The engine that returned the results.' }),
    took_ms: Integer({ minimum: 0, examples: [4] }),
  }),
])
export type SearchAnswer = typeof SearchAnswer.static

/** Shorter texts have no suggestions. */
export const SUGGEST_FROM = 2

export const SuggestQuery = t.Object(
  {
    q: t.Optional(
      t.String({
        description: `From ${SUGGEST_FROM} characters on; the last word may be incomplete.`,
        examples: ['lan'],
      }),
    ),
    show_hidden: t.Optional(
      t.String({ description: 'true: also with the tags that the reader always hides.' }),
    ),
  },
  { additionalProperties: true },
)

const { vanity_name, name, cover, developer } = Card.properties
const Count = Integer({ minimum: 1, examples: [12] })

export const Suggestions = t.Object({
  listings: t.Array(t.Object({ vanity_name, name, cover, developer }), { maxItems: 5 }),
  developers: t.Array(t.Object(personFields), { maxItems: 3 }),
  facets: t.Array(t.Object({ facet: FacetName, value: t.String(), label: t.String(), count: Count }), {
    maxItems: 5,
  }),
  tags: t.Array(t.Object({ tag: t.String(), count: Count }), { maxItems: 5 }),
})
export type Suggestions = typeof Suggestions.static

/** A search without filters that found nothing. */
export const MissedSearch = t.Object({
  words: t.String({ description: 'In lower case, without signs.', examples: ['dinosaur racing'] }),
  count: Integer({ minimum: 1, description: 'How often it was searched in the last 30 days.' }),
  last_day: t.String({ format: 'date', examples: ['2026-05-20'] }),
})
export type MissedSearch = typeof MissedSearch.static
