import { ALIASES, SEARCH_PARAMETERS, type SearchParameter } from '../../../domain/listings/facets.ts'
import { normalizeSlug } from '../../../domain/listings/slugs.ts'
import { QUERY_CHARACTERS_MAX } from '../../../lib/text/search-words.ts'
import { PIECES_MAX, VALUE_CHARACTERS_MAX, VALUES_MAX } from './model.ts'

const PAGING: SearchParameter = { about: '', examples: [], isList: false }
const PARAMETERS: ReadonlyMap<string, SearchParameter> = new Map([
  ...Object.entries(SEARCH_PARAMETERS),
  ['page', PAGING],
  ['page_size', PAGING],
])

/** The parameters of a search: the values of each, with aliases resolved and within the bounds. */
export class SearchRequest {
  private constructor(private readonly given: ReadonlyMap<string, readonly string[]>) {}

  /** Reads the parameters of an address. Unknown ones and unknown values are left out, and all above `valuesMax`. */
  static parse(
    sent: Iterable<readonly [name: string, text: string]>,
    valuesMax = Number.POSITIVE_INFINITY,
  ): SearchRequest {
    const pieces = new Map<string, Set<string>>()
    for (const [sentName, text] of sent) {
      const name = ALIASES.get(sentName) ?? sentName
      const parameter = PARAMETERS.get(name)
      if (parameter) addPieces(pieces, name, parameter, text)
    }
    const given = new Map<string, readonly string[]>()
    let room = valuesMax
    for (const [name, texts] of pieces) {
      const values = toValues(name, [...texts]).slice(0, room)
      if (values.length > 0) given.set(name, values)
      room -= values.length
    }
    return new SearchRequest(given)
  }

  all(name: string): readonly string[] {
    return this.given.get(name) ?? []
  }

  first(name: string): string {
    return this.all(name)[0] ?? ''
  }

  with(name: string, values: readonly string[]): SearchRequest {
    const changed = new Map(this.given)
    if (values.length === 0) changed.delete(name)
    else changed.set(name, values)
    // A changed selection starts on its first page.
    if (name !== 'page') changed.delete('page')
    return new SearchRequest(changed)
  }

  without(name: string, value: string): SearchRequest {
    return this.with(
      name,
      this.all(name).filter((known) => known !== value),
    )
  }

  /** Each value with its parameter. */
  pairs(): [name: string, value: string][] {
    return [...this.given].flatMap(([name, values]) => values.map((value): [string, string] => [name, value]))
  }

  /** Written without `URLSearchParams`, which takes several times as long: a page has dozens of these. */
  toQuery(): string {
    return this.pairs()
      .map(([name, value]) => `${name}=${encode(value)}`)
      .join('&')
  }
}

function encode(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replaceAll('%20', '+')
}

/** Splits lists at commas and merges repeated parameters; leaves out empty pieces and those above the bound. */
function addPieces(
  pieces: Map<string, Set<string>>,
  name: string,
  { isList, max }: SearchParameter,
  text: string,
): void {
  const found = pieces.get(name) ?? new Set<string>()
  for (const piece of isList || max === 1 ? text.split(',', PIECES_MAX) : [text]) {
    const value = piece.trim()
    if (value === '') continue
    if (found.size === VALUES_MAX) break
    pieces.set(name, found.add(value))
  }
}

function toValues(name: string, pieces: readonly string[]): string[] {
  // Several texts are joined into one.
  if (name === 'q' || name === 'find') return [pieces.join(' ').slice(0, QUERY_CHARACTERS_MAX)]
  const parameter: SearchParameter = PARAMETERS.get(name) ?? PAGING
  const { values: known, isSlug, parse, max = VALUES_MAX } = parameter
  if (known) return pieces.filter((value) => known.includes(value)).slice(0, max)
  if (parse) return [...new Set(pieces.flatMap((value) => parse(value) ?? []))].slice(0, max)
  // A value that is cut is still too long to match anything.
  const cut = pieces.map((value) =>
    (isSlug ? normalizeSlug(value) : value).slice(0, VALUE_CHARACTERS_MAX + 1),
  )
  return [...new Set(cut)].slice(0, max)
}
