import type { Deps } from '../../../deps.ts'
import type { Page, Paged } from '../../../lib/paging.ts'
import { plainWordsOf } from './find-words.ts'
import * as queries from './miss-queries.ts'
import type { MissedSearch } from './model.ts'
import type { SearchRequest } from './request.ts'

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
