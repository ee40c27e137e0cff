import { t } from 'elysia'

import { ENGINES } from '../../../clients/search/search-engine.ts'
import { ALIASES, FILTERS, SEARCH_PARAMETERS, type SearchParameter } from '../../../domain/listings/facets.ts'
import { mapFields } from '../../../domain/listings/fields.ts'
import { Integer, Joined, OneOf, Paged, PageQuery } from '../../../http/input/schema.ts'
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

export const SearchAnswer = Joined([
  Paged(Card),
  t.Object({
    facets: Facets,
    engine: OneOf(ENGINES, { description: 'The engine that returned the results.' }),
    took_ms: Integer({ minimum: 0, examples: [4] }),
  }),
])
export type SearchAnswer = typeof SearchAnswer.static
