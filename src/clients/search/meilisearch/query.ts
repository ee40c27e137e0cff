import type { MultiSearchQuery, MultiSearchResult } from 'meilisearch'

import { ENGINE_RANGES_MAX } from '../../../domain/listings/engine-range.ts'
import type { Facet, Sort } from '../../../domain/listings/facets.ts'
import { queryWordsOf } from '../../../lib/text/search-words.ts'
import {
  FACET_VALUES_MAX,
  type FacetCount,
  type Find,
  type SearchFilter,
  type SearchHits,
  type SearchQuery,
} from '../search-engine.ts'
import { UnsupportedQuery } from '../unsupported-query.ts'
import { type MeilisearchDocument, toVersionPair } from './document.ts'
import { toExactParts, toParts } from './same-words.ts'

/** The engine ignores any words after the first ten. */
const WORDS_MAX = 10
/** The number of filters doubles with each tag. */
const TAGS_MAX = 6

const THEN_NEWEST = ['published_at:desc', 'uid:desc']
const SORTED_BY: Readonly<Record<Sort, string[]>> = {
  relevance: ['health_penalty:asc'],
  newest: ['published_at:desc', 'uid:desc'],
  updated: ['updated_at:desc', 'uid:desc'],
  popular: ['popularity:desc', ...THEN_NEWEST],
  rated: ['rated:desc', ...THEN_NEWEST],
  price_low: ['price_cents:asc', ...THEN_NEWEST],
  price_high: ['price_cents:desc', ...THEN_NEWEST],
  name: ['name:asc', ...THEN_NEWEST],
}

type HitFields = Pick<MeilisearchDocument, 'uid' | 'health_penalty' | 'published_at'>
const HIT_FIELDS: (keyof HitFields)[] = ['uid', 'health_penalty', 'published_at']
const ONLY_COUNT = { page: 1, hitsPerPage: 0 }

type Question = Omit<MultiSearchQuery, 'indexUid'>
export type Answer = MultiSearchResult<HitFields>

/** The queries of one request, and how to combine their results. */
interface Questions {
  questions: Question[]
  read(answers: readonly Answer[]): Omit<SearchHits, 'engine'>
}

export function toQuestions(query: SearchQuery): Questions {
  const { words, ...text } = toText(query)
  if (words > WORDS_MAX) throw new UnsupportedQuery(`${words} words are more than it looks at`)
  if (typeof query.sort === 'object') throw new UnsupportedQuery('it does not index editor packages')
  const filter = toMeilisearchFilter(query.filter)
  const { [filter]: facets = [], ...others } = groupFacets(query)
  const ranked: Question = {
    ...text,
    sort: SORTED_BY[query.sort],
    attributesToRetrieve: HIT_FIELDS,
    showRankingScore: words > 0,
  }
  const isTagged = query.sort === 'relevance' && query.tags.length > 1 && query.limit > 0
  const tiers = isTagged ? toTagTiers(query.tags) : []
  const layers = query.sort === 'relevance' && query.limit > 0 && !isTagged ? toLayers(query.find) : []
  const { skip, ...page } = toPage(query)
  const upToPage = { page: 1, hitsPerPage: query.offset + query.limit }
  const ownPage = tiers.length > 0 ? ONLY_COUNT : layers.length > 0 ? upToPage : page
  const counts: Question[] = [
    { ...ranked, filter, facets, ...ownPage },
    ...Object.entries(others).map(([own, asked]) => ({ ...text, filter: own, facets: asked, ...ONLY_COUNT })),
  ]
  const dated = listDated(query)
  return {
    questions: [
      ...counts,
      ...dated.map(({ filter: own }) => ({ ...text, filter: own, ...ONLY_COUNT })),
      ...tiers.map((tier) => ({ ...ranked, filter: allOf([filter, tier.filter]), ...upToPage })),
      ...layers.map((layer) => ({ ...ranked, ...layer, filter, limit: query.offset + query.limit })),
    ],
    read(answers) {
      const [first] = answers
      const others = answers.slice(counts.length + dated.length)
      const merged =
        tiers.length > 0
          ? mergeTiers(tiers, others)
          : layers.length > 0 && mergeLayers([...others, ...answers.slice(0, 1)])
      const hits = merged
        ? merged.slice(query.offset, query.offset + query.limit)
        : toHits(first).slice(skip, skip + query.limit)
      return {
        hits: hits.map(({ uid, score }) => ({ uid, score })),
        total: first?.totalHits ?? 0,
        facets: {
          ...Object.fromEntries(answers.slice(0, counts.length).flatMap(toFacets)),
          ...toDatedFacets(dated, answers.slice(counts.length)),
        },
      }
    },
  }
}

/** Where the words of a text are looked for; those of a person are everywhere. */
const TEXTS = ['name', 'tagline', 'description']

function toText({ text, find }: SearchQuery): Question & { words: number } {
  const words = queryWordsOf(text)
  if (!find || find.terms.length + find.without.length === 0)
    return { q: words.join(' '), attributesToSearchOn: TEXTS, matchingStrategy: 'all', words: words.length }
  if (words.length > 0) throw new UnsupportedQuery('it looks for a text or for the words of a person')
  const parts = toParts(find)
  // The engine takes the last word for a beginning, unless something follows it.
  const end = find.terms.at(-1)?.kind === 'beginning' ? '' : ' '
  return { q: parts.join(' ') + end, matchingStrategy: 'all', words: parts.length }
}

/** Where the words of a person make a name, and where they describe a listing. */
const LAYERS = [['name'], ['developer_words', 'told_words', 'fact_words']]

/**
 * Several words of a person are also asked for in these fields alone: the engine ranks each word by its best field, so that names
 * with one of them would come before what all of them describe. Excluded words would be looked for in these alone, too.
 */
function toLayers(find: Find | undefined): Question[] {
  if (!find || find.terms.length < 2 || find.without.length > 0) return []
  const q = toExactParts(find).join(' ')
  return LAYERS.map((attributesToSearchOn) => ({ q: `${q} `, attributesToSearchOn, matchingStrategy: 'all' }))
}

/** Each layer is sorted and read up to the end of the page, so merging them gives the correct order. */
function mergeLayers(answers: readonly Answer[]): Hit[] {
  const found = new Map<string, Hit & { layer: number }>()
  for (const [layer, answer] of answers.entries()) {
    for (const hit of toHits(answer)) if (!found.has(hit.uid)) found.set(hit.uid, { ...hit, layer })
  }
  let least = 1
  return Array.from(found.values())
    .sort((a, b) => a.health_penalty - b.health_penalty || a.layer - b.layer)
    .map((hit) => {
      least = Math.min(least, hit.score)
      return { ...hit, score: least }
    })
}

/** Facets with the same filter are counted by one query. */
function groupFacets({ facets }: SearchQuery): Record<string, Facet[]> {
  const groups: Record<string, Facet[]> = {}
  for (const { facet, filter } of facets) {
    if (facet !== 'released') (groups[toMeilisearchFilter(filter)] ??= []).push(facet)
  }
  return groups
}

interface DatedCount {
  facet: Facet
  value: string
  filter: string
}

/** Values that are a time and not stored: each is counted by a query of its own. */
function listDated({ facets }: SearchQuery): DatedCount[] {
  return facets.flatMap((request) => {
    if (request.facet !== 'released') return []
    const { facet, filter } = request
    return Object.entries(request.since).map(([value, from]) => {
      const both: SearchFilter = { kind: 'all', of: [filter, { kind: 'since', from }] }
      return { facet, value, filter: toMeilisearchFilter(both) }
    })
  })
}

function toDatedFacets(dated: readonly DatedCount[], answers: readonly Answer[]): SearchHits['facets'] {
  const counts = dated.map(({ facet, value }, index) => ({
    facet,
    counted: { value, count: answers[index]?.totalHits ?? 0 },
  }))
  return Object.fromEntries(
    Array.from(
      Map.groupBy(counts, ({ facet }) => facet),
      ([facet, own]) => [facet, sortCounts(own.flatMap(({ counted }) => (counted.count > 0 ? counted : [])))],
    ),
  )
}

function sortCounts(counts: FacetCount[]): FacetCount[] {
  return counts.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1)).slice(0, FACET_VALUES_MAX)
}

/** Uses page numbers instead of offsets, because only then are totals exact. */
function toPage({ offset, limit }: SearchQuery): { page: number; hitsPerPage: number; skip: number } {
  if (limit === 0) return { ...ONLY_COUNT, skip: 0 }
  return offset % limit === 0
    ? { page: offset / limit + 1, hitsPerPage: limit, skip: 0 }
    : { page: 1, hitsPerPage: offset + limit, skip: offset }
}

interface Hit extends HitFields {
  score: number
}

function toHits(answer: Answer | undefined): Hit[] {
  return (answer?.hits ?? []).map(({ _rankingScore: score = 0, ...fields }) => ({ ...fields, score }))
}

/** Each tier is sorted and read up to the end of the page, so merging them gives the correct order. */
function mergeTiers(tiers: readonly TagTier[], answers: readonly Answer[]): Hit[] {
  return tiers
    .flatMap(({ matched }, index) => toHits(answers[index]).map((hit) => ({ ...hit, matched })))
    .sort(
      (a, b) =>
        a.health_penalty - b.health_penalty ||
        b.score - a.score ||
        b.matched - a.matched ||
        b.published_at - a.published_at,
    )
}

function toFacets({ facetDistribution = {} }: Answer): [string, FacetCount[]][] {
  return Object.entries(facetDistribution).map(([facet, counts]) => [
    facet,
    sortCounts(Object.entries(counts).map(([value, count]) => ({ value, count }))),
  ])
}

interface TagTier {
  /** The exact number of tags that match. */
  matched: number
  filter: string
}

/** The engine cannot rank by the number of matching tags, so each number is queried separately. */
function toTagTiers(tags: readonly string[]): TagTier[] {
  if (tags.length > TAGS_MAX) throw new UnsupportedQuery(`${tags.length} tags are more than can be ranked by`)
  const tiers = new Map<number, string[]>()
  for (let subset = 1; subset < 2 ** tags.length; subset += 1) {
    const { has = [], lacks = [] } = Object.groupBy(tags, (_, index) =>
      subset & (1 << index) ? 'has' : 'lacks',
    )
    const exactly = allOf([...has.map((tag) => hasAny([tag])), `NOT ${hasAny(lacks)}`])
    tiers.set(has.length, [...(tiers.get(has.length) ?? []), exactly])
  }
  return [...tiers].map(([matched, filters]) => ({ matched, filter: anyOf(filters) }))
}

function hasAny(values: readonly string[]): string {
  return toMeilisearchFilter({ kind: 'has', field: 'tags', values })
}

const NOTHING = 'adult IN []'
const EVERYTHING = `NOT ${NOTHING}`
const SLOTS = Array.from({ length: ENGINE_RANGES_MAX }, (_, slot) => `ranges.${slot}`)

/** Translates a filter into Meilisearch's filter syntax. */
export function toMeilisearchFilter(filter: SearchFilter): string {
  switch (filter.kind) {
    case 'all':
      return allOf(filter.of.map(toMeilisearchFilter))
    case 'any':
      return anyOf(filter.of.map(toMeilisearchFilter))
    case 'not':
      return `NOT (${toMeilisearchFilter(filter.of)})`
    case 'has':
      return `${filter.field} IN [${filter.values.map(quote).join(', ')}]`
    case 'compat':
      return anyOf(SLOTS.map((slot) => toRangeFilter(slot, filter)))
    case 'since':
      return `published_at >= ${filter.from}`
    case 'players':
      return `players_min <= ${filter.count} AND players_max >= ${filter.count}`
    case 'price':
      return `price_cents <= ${filter.most}`
    case 'uids':
      return `uid IN [${filter.uids.map(quote).join(', ')}]`
    case 'package':
      throw new UnsupportedQuery('it does not index editor packages')
    case 'adult':
    default:
      return 'adult = true'
  }
}

function allOf(filters: readonly string[]): string {
  return filters.length === 0 ? EVERYTHING : filters.map((filter) => `(${filter})`).join(' AND ')
}

function anyOf(filters: readonly string[]): string {
  return filters.length === 0 ? NOTHING : filters.map((filter) => `(${filter})`).join(' OR ')
}

type CompatFilter = Extract<SearchFilter, { kind: 'compat' }>

function toRangeFilter(slot: string, { engine, version, renderer }: CompatFilter): string {
  const conditions = [`${slot}.engine EXISTS`]
  if (engine !== null) conditions.push(`${slot}.engine = ${quote(engine)}`)
  if (renderer !== null) conditions.push(`${slot}.renderer IS NULL OR ${slot}.renderer = ${quote(renderer)}`)
  if (version !== null) conditions.push(...toVersionFilters(slot, version))
  return allOf(conditions)
}

function toVersionFilters(slot: string, version: string): string[] {
  const asked = toVersionPair(version, 0)
  if (!asked) return [NOTHING]
  const compare = (bound: string, sign: '<' | '>') =>
    `${bound}.high ${sign} ${asked.high} OR (${bound}.high = ${asked.high} AND ${bound}.low ${sign}= ${asked.low})`
  return [compare(`${slot}.min`, '<'), compare(`${slot}.max`, '>')]
}

/** Escapes a value so that it cannot change the filter. */
function quote(value: string): string {
  return `"${value.replace(/["\\]/g, (character) => `\\${character}`)}"`
}
