import type { Deps } from '../../../deps.ts'
import { COLLECTIONS_MAX } from '../../../domain/collections.ts'
import { PAGES_MAX } from '../../../domain/store-settings.ts'
import { parseSitemapCursor, readSitemap, type SitemapCursor } from './sitemap.ts'

/** As many addresses as one file for search engines may have, less those of the store's own pages. */
export const SITEMAP_PART_MAX = 50_000 - (COLLECTIONS_MAX + PAGES_MAX + 2)

export interface SitemapEntry {
  url: string
  updated_at?: string
}

export interface SitemapPart {
  entries: SitemapEntry[]
  /** The cursor of the next part; null on the last one. */
  next: string | null
}

/** So many addresses as fit into one file, from a cursor on. */
export async function readSitemapPart(
  deps: Deps,
  cursor: SitemapCursor,
  max = SITEMAP_PART_MAX,
): Promise<SitemapPart> {
  const entries: SitemapEntry[] = []
  let at = cursor
  for (;;) {
    const { listings, developers, next } = await readSitemap(deps, at)
    const page = [...listings, ...developers]
    entries.push(...page.map(({ url, updated_at }) => ({ url, updated_at })))
    // A page is never cut, so the next one must still fit.
    if (next === null || entries.length + page.length > max) return { entries, next }
    at = parseSitemapCursor(next)
  }
}

/** The cursors all parts begin at; the first is empty. */
export async function listSitemapParts(deps: Deps, max = SITEMAP_PART_MAX): Promise<string[]> {
  const starts = ['']
  for (;;) {
    const { next } = await readSitemapPart(deps, parseSitemapCursor(starts.at(-1)), max)
    if (next === null) return starts
    starts.push(next)
  }
}
