import {
  type EnqueuedTaskPromise,
  type IndexSwap,
  Meilisearch,
  MeilisearchApiError,
  type Settings,
} from 'meilisearch'

import type { SameWords } from '../../../domain/listings/everyday-words.ts'
import { STORED_FACETS } from '../../../domain/listings/facets.ts'
import type { SearchDocument } from '../../../domain/listings/search-document.ts'
import { memoize } from '../../../lib/flow/memoize.ts'
import { type Find, ONE_TYPO_FROM, type SearchIndex, TWO_TYPOS_FROM } from '../search-engine.ts'
import { UnsupportedQuery } from '../unsupported-query.ts'
import { type MeilisearchDocument, toMeilisearchDocument } from './document.ts'
import { type Answer, toQuestions } from './query.ts'
import { STANDARD_SYNONYMS, tokensOf, toSynonyms } from './same-words.ts'

const SEARCH_TIMEOUT_MS = 1000
const WRITE_TIMEOUT_MS = 30_000
/** How long the engine's words of the operators are taken as known. */
const SYNONYMS_MS = 1000
const PATIENTLY = { timeout: 10 * 60_000, interval: 20 }
/** Per request; the engine rejects more than 100 MB. */
const BATCH_CHARACTERS = 10_000_000

export interface MeilisearchSettings {
  url: string
  key: string | null
}

export interface MeilisearchIndex extends SearchIndex {
  /** Adds the groups of the operators to those that every store has; does nothing if they are there. */
  writeSameWords(groups: SameWords): Promise<void>
  /** Whether the index exists with the current settings. If not, rebuild it before writing to it. */
  isBuilt(): Promise<boolean>
  /** Calls `around` when the new index is complete; it must call `swap` to replace the old one. */
  rebuild(
    batches: AsyncIterable<readonly SearchDocument[]>,
    around?: (swap: () => Promise<void>) => Promise<void>,
  ): Promise<void>
}

/** Compressed responses are sent in chunks that are delayed by 40 ms each. */
const UNPACKED = { headers: { 'accept-encoding': 'identity' } }

export function openMeilisearch(
  { url, key }: MeilisearchSettings,
  name = 'playshelf',
  searchTimeoutMs = SEARCH_TIMEOUT_MS,
): MeilisearchIndex {
  const connect = (timeout: number) =>
    new Meilisearch({ host: url, apiKey: key ?? '', timeout, requestInit: UNPACKED })
  const reader = connect(searchTimeoutMs)
  const writer = connect(WRITE_TIMEOUT_MS)
  const next = `${name}_next`
  let taken: number[] = []

  /** The engine queues tasks and runs them in order; failures are only visible by polling. */
  async function finish(tasks: readonly number[]): Promise<void> {
    const done = writer.tasks.waitForTasksIter(tasks, PATIENTLY)
    for await (const { status, type, error } of done) {
      if (status !== 'succeeded') throw new Error(`Meilisearch: ${type} ${status}: ${error?.message}`)
    }
  }

  async function take(task: EnqueuedTaskPromise): Promise<number> {
    return (await task).taskUid
  }

  async function add(index: string, documents: readonly SearchDocument[]): Promise<number[]> {
    const tasks: number[] = []
    for (const batch of cutBySize(documents)) {
      const sent = writer.index<MeilisearchDocument>(index).addDocuments(batch.map(toMeilisearchDocument))
      tasks.push(await take(sent))
    }
    return tasks
  }

  async function createEmpty(index: string): Promise<void> {
    await writer.deleteIndex(index).waitTask(PATIENTLY)
    await finish([
      await take(writer.createIndex(index, { primaryKey: 'uid' })),
      await take(writer.index(index).updateSettings(INDEX_SETTINGS)),
    ])
  }

  const loadSynonyms = memoize(SYNONYMS_MS, () => reader.index(name).getSynonyms())

  /** A group that was just added has no word here yet. */
  async function requireTokens(find: Find | undefined): Promise<void> {
    const own = tokensOf(find).filter((token) => !Object.hasOwn(STANDARD_SYNONYMS, token))
    if (own.length === 0) return
    const known = await loadSynonyms()
    if (!own.every((token) => Object.hasOwn(known, token)))
      throw new UnsupportedQuery('it does not have these words of the operators yet')
  }

  return {
    name: 'meilisearch',
    async search(query) {
      const { questions, read } = toQuestions(query)
      await requireTokens(query.find)
      const queries = questions.map((question) => ({ ...question, indexUid: name }))
      const { results } = await reader.multiSearch({ queries }).catch((error: unknown) => {
        if (!isWithoutDocuments(error)) throw error
        return reader.multiSearch({
          queries: queries.map(({ attributesToSearchOn: _, ...asked }) => asked),
        })
      })
      if (results.length !== queries.length) throw new Error('Meilisearch left out answers')
      return { engine: 'meilisearch', ...read(results as Answer[]) }
    },
    async isBuilt() {
      try {
        return hasSettings(await writer.index(name).getSettings())
      } catch (error) {
        if (error instanceof MeilisearchApiError && error.cause?.code === 'index_not_found') return false
        throw error
      }
    },
    async writeSameWords(groups) {
      const wanted = toSynonyms(groups)
      const index = writer.index(name)
      if (Bun.deepEquals(await index.getSynonyms(), wanted)) return
      await finish([await take(index.updateSynonyms(wanted))])
    },
    async upsert(documents) {
      taken.push(...(await add(name, documents)))
    },
    async remove(uids) {
      if (uids.length > 0) taken.push(await take(writer.index(name).deleteDocuments([...uids])))
    },
    async settled() {
      const tasks = taken
      taken = []
      await finish(tasks)
    },
    async rebuild(batches, around = (swap) => swap()) {
      await createEmpty(next)
      const tasks: number[] = []
      for await (const documents of batches) tasks.push(...(await add(next, documents)))
      await finish(tasks)
      // A swap requires both indexes to exist. If this one does already, the task fails, which is harmless.
      await writer.createIndex(name, { primaryKey: 'uid' }).waitTask(PATIENTLY)
      await around(async () => {
        // Engines before 1.18 do not support the `rename` field that the type requires.
        await finish([await take(writer.swapIndexes([{ indexes: [name, next] } as IndexSwap]))])
      })
      await finish([await take(writer.deleteIndex(next))])
    },
  }
}

/** An index knows its attributes from the first document on. */
function isWithoutDocuments(error: unknown): boolean {
  return (
    error instanceof MeilisearchApiError && error.cause?.code === 'invalid_search_attributes_to_search_on'
  )
}

function* cutBySize(documents: readonly SearchDocument[]): Generator<SearchDocument[]> {
  let batch: SearchDocument[] = []
  let size = 0
  for (const document of documents) {
    if (size > BATCH_CHARACTERS) {
      yield batch
      ;[batch, size] = [[], 0]
    }
    batch.push(document)
    size += document.description.length
  }
  if (batch.length > 0) yield batch
}

/** More than are shown, so that ties at the end are broken alphabetically instead of by the engine. */
const FACET_VALUES_READ = 200

const FILTERED = [
  ...STORED_FACETS,
  'platforms',
  'developer',
  'ranges',
  'players_min',
  'players_max',
  'price_cents',
  'published_at',
  'adult',
  'uid',
]

/** The index settings. Lists without a meaningful order are sorted, as the engine returns them. */
export const INDEX_SETTINGS = {
  // A query's `sort` comes before its text: launch problems for relevance, or what the other sorts are named
  // after. The attribute in which a word occurs ranks above proximity.
  rankingRules: [
    'sort',
    'words',
    'typo',
    'attribute',
    'proximity',
    'exactness',
    'published_at:desc',
    'uid:desc',
  ],
  // In the order of their weight.
  searchableAttributes: [
    'name',
    'developer_words',
    'told_words',
    'fact_words',
    'tagline',
    'description',
    'post_words',
  ],
  filterableAttributes: FILTERED.toSorted(),
  sortableAttributes: [
    'health_penalty',
    'name',
    'popularity',
    'price_cents',
    'published_at',
    'rated',
    'uid',
    'updated_at',
  ],
  synonyms: STANDARD_SYNONYMS,
  typoTolerance: { minWordSizeForTypos: { oneTypo: ONE_TYPO_FROM, twoTypos: TWO_TYPOS_FROM } },
  faceting: { maxValuesPerFacet: FACET_VALUES_READ, sortFacetValuesBy: { '*': 'count' } },
  // A lower limit would also cap the totals.
  pagination: { maxTotalHits: 2 ** 31 - 1 },
  facetSearch: false,
  // A search that is cut off returns wrong totals, so the cutoff is longer than any client waits.
  searchCutoffMs: 5000,
} satisfies Settings

/** Whether the index has all of these settings; settings not listed here may differ. */
function hasSettings(found: unknown, wanted: unknown = INDEX_SETTINGS): boolean {
  if (Array.isArray(wanted) || typeof wanted !== 'object' || wanted === null) {
    return Bun.deepEquals(found, wanted)
  }
  return Object.entries(wanted).every(([name, value]) =>
    hasSettings((found as Record<string, unknown> | undefined)?.[name], value),
  )
}
