import { ENGINE_RANGES_MAX } from '../../../domain/listings/engine-range.ts'
import type { SearchFilter } from '../search-engine.ts'
import { UnsupportedQuery } from '../unsupported-query.ts'
import { toVersionPair } from './document.ts'

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
    case 'uids':
      return `uid IN [${filter.uids.map(quote).join(', ')}]`
    case 'package':
      throw new UnsupportedQuery('it does not index editor packages')
    case 'adult':
    default:
      return 'adult = true'
  }
}

export function allOf(filters: readonly string[]): string {
  return filters.length === 0 ? EVERYTHING : filters.map((filter) => `(${filter})`).join(' AND ')
}

export function anyOf(filters: readonly string[]): string {
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
