import { ARCHITECTURES } from '../../domain/builds/platforms.ts'
import { normalizeSlug } from '../../domain/listings/slugs.ts'
import {
  PIECES_MAX,
  SearchParameterList,
  VALUE_CHARACTERS_MAX,
  VALUES_MAX,
} from '../../features/catalog/search/model.ts'
import { QUERY_CHARACTERS_MAX } from '../../lib/text/search-words.ts'
import { FILTER_GROUPS } from './filter-groups.ts'

/** Alternative parameter names, mapped to those the form uses. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['type', 'asset_type'],
  ['search', 'q'],
])
const KNOWN = new Set(Object.keys(SearchParameterList.properties).filter((name) => !ALIASES.has(name)))
const GIVEN_ONCE = new Set(['q', 'players', 'engine_version', 'renderer', 'collection', 'sort', 'page'])
/** The parameters that take only certain values. Others are ignored, as in the API. */
const CLOSED: ReadonlyMap<string, readonly string[]> = new Map([
  ...FILTER_GROUPS.flatMap(({ include, exclude, values }) =>
    values ? [include, exclude].flatMap((name) => (name ? [[name, values] as const] : [])) : [],
  ),
  ['arch', ARCHITECTURES],
])
const SINGLE = new Set(FILTER_GROUPS.flatMap(({ include, isSingle }) => (isSingle && include) || []))
/** Values of all parameters together. */
const VALUES_IN_ALL_MAX = 2 * VALUES_MAX

/** The search that an address describes, with aliases resolved and within the bounds of the API. */
export class SearchState {
  private constructor(private readonly given: ReadonlyMap<string, readonly string[]>) {}

  static read(parameters: URLSearchParams): SearchState {
    const given = new Map<string, Set<string>>()
    let room = VALUES_IN_ALL_MAX
    for (const [sent, text] of parameters) {
      const name = ALIASES.get(sent) ?? sent
      if (!KNOWN.has(name)) continue
      const values = given.get(name) ?? new Set<string>()
      const max = SINGLE.has(name) ? 1 : VALUES_MAX
      for (const value of readValues(name, text)) {
        if (room === 0 || values.size === max) break
        if (values.has(value)) continue
        given.set(name, values.add(value))
        room -= 1
      }
    }
    return new SearchState(new Map([...given].map(([name, values]) => [name, joinTexts(name, [...values])])))
  }

  all(name: string): readonly string[] {
    return this.given.get(name) ?? []
  }

  first(name: string): string {
    return this.all(name)[0] ?? ''
  }

  with(name: string, values: readonly string[]): SearchState {
    const changed = new Map(this.given)
    if (values.length === 0) changed.delete(name)
    else changed.set(name, values)
    // A changed selection starts on its first page.
    if (name !== 'page') changed.delete('page')
    return new SearchState(changed)
  }

  without(name: string, value: string): SearchState {
    return this.with(
      name,
      this.all(name).filter((known) => known !== value),
    )
  }

  /** Each value with its parameter. */
  pairs(): [name: string, value: string][] {
    return [...this.given].flatMap(([name, values]) => values.map((value): [string, string] => [name, value]))
  }

  toParameters(): URLSearchParams {
    return new URLSearchParams(this.pairs())
  }

  /** The address of the page that shows this search. */
  href(): string {
    const query = this.toQuery()
    return query === '' ? '/search' : `/search?${query}`
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

const SLUG_PARAMETERS = new Set(['tags', 'exclude_tags', 'engine', 'renderer'])

/** All texts are searched for as one. */
function joinTexts(name: string, values: string[]): string[] {
  return name === 'q' ? [values.join(' ').slice(0, QUERY_CHARACTERS_MAX)] : values
}

function readValues(name: string, text: string): string[] {
  const closed = CLOSED.get(name)
  return (
    (GIVEN_ONCE.has(name) ? [text] : text.split(',', PIECES_MAX))
      .map((value) => (SLUG_PARAMETERS.has(name) ? normalizeSlug(value) : value.trim()))
      .filter((value) => value !== '' && (!closed || closed.includes(value)))
      // A value that is cut is still too long to match anything.
      .map((value) => (name === 'q' ? value : value.slice(0, VALUE_CHARACTERS_MAX + 1)))
  )
}

/** `-word` in the search box excludes the tag `word`; null where there is none. */
export function readExclusions(state: SearchState): SearchState | null {
  const words = state.first('q').split(/\s+/)
  const isExclusion = (word: string) => /^-[\p{L}\p{N}]/u.test(word)
  const excluded = words.filter(isExclusion).map((word) => normalizeSlug(word.slice(1)))
  if (excluded.length === 0) return null
  const text = words.filter((word) => !isExclusion(word)).join(' ')
  return state
    .with('q', text === '' ? [] : [text])
    .with('exclude_tags', [...new Set([...state.all('exclude_tags'), ...excluded])])
}
