import type { Card } from './model.ts'

/** Whether one of these tags was set by the developer or is shown by the community, as in a search. */
export function hasTagOf({ taxonomy, community_tags }: Card, tags: readonly string[]): boolean {
  return tags.some((tag) => taxonomy.tags.includes(tag) || community_tags.some((shown) => shown.tag === tag))
}
