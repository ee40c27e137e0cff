import { UnsupportedQuery } from '../unsupported-query.ts'
import { allOf, anyOf, toMeilisearchFilter } from './filter.ts'

/** The number of filters doubles with each tag. */
const TAGS_MAX = 6

export interface TagTier {
  /** The exact number of tags that match. */
  matched: number
  filter: string
}

/** The engine cannot rank by the number of matching tags, so each number is queried separately. */
export function toTagTiers(tags: readonly string[]): TagTier[] {
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
