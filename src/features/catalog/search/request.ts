import type { Deps } from '../../../deps.ts'
import { ALIASES, SEARCH_PARAMETERS, type SearchParameter } from '../../../domain/listings/facets.ts'
import { normalizeSlug } from '../../../domain/listings/slugs.ts'
import type { Page, Paged } from '../../../lib/paging.ts'
import { QUERY_CHARACTERS_MAX } from '../../../lib/text/search-words.ts'
import { plainWordsOf } from './find-words.ts'
import * as queries from './miss-queries.ts'
import { type MissedSearch, PIECES_MAX, VALUE_CHARACTERS_MAX, VALUES_MAX } from './model.ts'

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

const FLUSH_MS = 1000
/** Longer texts are rarely what others search too. */
const WORDS_CHARACTERS_MAX = 60
/** Between two writes; further words are not counted. */
const WAITING_MAX = 500
/** What cannot be said about a store: addresses and long numbers may be somebody's. */
const PRIVATE = /@|\d{5}/
/** Parameters beside which a search still is about its words alone. */
const BESIDE = new Set(['find', 'sort', 'page_size', 'show_hidden'])

export interface MissCounter {
  /** Call for a search that found nothing. Ignores those with filters: the words may be found without them. */
  count(request: SearchRequest): void
  /** Resolves when everything counted before is stored. */
  settled(): Promise<void>
}

/** Counts in memory and writes once a second at most, so that any number of searches costs one statement. */
export function createMissCounter({ db, log }: Pick<Deps, 'db' | 'log'>): MissCounter {
  let waiting = new Map<string, number>()
  let timer: Timer | null = null
  let writing: Promise<void> = Promise.resolve()

  async function write(): Promise<void> {
    if (timer) clearTimeout(timer)
    timer = null
    if (waiting.size === 0) return
    const misses = waiting
    waiting = new Map()
    try {
      await queries.addMisses(db, misses)
    } catch (error) {
      // Losing a few counts is harmless, and keeping them could be without end.
      log.debug('Searches without a result were not counted', { error })
    }
  }

  return {
    count(request) {
      const typed = request.first('find')
      const words = plainWordsOf(typed)
      if (words === '' || words.length > WORDS_CHARACTERS_MAX || PRIVATE.test(typed)) return
      if (request.pairs().some(([name]) => !BESIDE.has(name))) return
      if (waiting.size >= WAITING_MAX && !waiting.has(words)) return
      waiting.set(words, (waiting.get(words) ?? 0) + 1)
      timer ??= setTimeout(() => {
        writing = write()
      }, FLUSH_MS).unref()
    },
    async settled() {
      await writing
      await write()
    },
  }
}

/** Words only, the most frequent first. */
export async function listMissedSearches({ db }: Pick<Deps, 'db'>, page: Page): Promise<Paged<MissedSearch>> {
  return await queries.listMisses(db, page)
}
