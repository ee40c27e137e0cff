import type { Deps } from '../../../deps.ts'
import { COLLECTIONS_MAX } from '../../../domain/collections.ts'
import { JAMS_IN_SITEMAP } from '../../../domain/jams.ts'
import { developerUrl, listingUrl } from '../../../domain/site-urls.ts'
import { PAGES_MAX } from '../../../domain/store-settings.ts'
import { invalidField } from '../../../errors.ts'
import { type Sitemap, SITEMAP_PAGE } from './model.ts'
import { listIndexedDevelopers, listIndexedGames } from './queries.ts'

const PARTS = ['listings', 'developers'] as const
/** Each developer costs one index lookup, so a page holds fewer of them than of listings. */
const DEVELOPERS_MAX = 2000

/** Where a page starts: after this uid, among the listings or, after the last listing, among the developers. */
interface SitemapCursor {
  part: (typeof PARTS)[number]
  behind: string
}

/** Listings are in ascending, developers in descending order of their uids. */
const FIRST_LISTINGS: SitemapCursor = { part: 'listings', behind: '00000000-0000-0000-0000-000000000000' }
const FIRST_DEVELOPERS: SitemapCursor = { part: 'developers', behind: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }
const CURSOR = /^(listings|developers) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

export function parseSitemapCursor(text: string | undefined): SitemapCursor {
  if (text === undefined || text === '') return FIRST_LISTINGS
  const [, name, behind] = CURSOR.exec(Buffer.from(text, 'base64url').toString()) ?? []
  const part = PARTS.find((known) => known === name)
  if (part && behind !== undefined) return { part, behind }
  throw invalidField('cursor', 'must be the `next` of the previous page; leave it out for the first page.')
}

function writeCursor({ part, behind }: SitemapCursor): string {
  return Buffer.from(`${part} ${behind}`).toString('base64url')
}

/** Listings first; developers fill the rest of the page. */
export async function loadSitemap(deps: Deps, cursor: SitemapCursor): Promise<Sitemap> {
  if (cursor.part === 'developers')
    return { listings: [], ...(await loadDevelopers(deps, cursor, SITEMAP_PAGE)) }
  const { db, config } = deps
  const found = await listIndexedGames(db, cursor.behind, SITEMAP_PAGE + 1)
  const shown = found.slice(0, SITEMAP_PAGE)
  const listings = shown.map(({ uid, vanityName, updatedAt }) => ({
    uid,
    vanity_name: vanityName,
    url: listingUrl(config.baseUrl, vanityName),
    updated_at: updatedAt.toISOString(),
  }))
  const last = shown.at(-1)
  if (last && found.length > shown.length) {
    return { listings, developers: [], next: writeCursor({ part: 'listings', behind: last.uid }) }
  }
  return { listings, ...(await loadDevelopers(deps, FIRST_DEVELOPERS, SITEMAP_PAGE - shown.length)) }
}

async function loadDevelopers(
  { db, config }: Deps,
  { part, behind }: SitemapCursor,
  room: number,
): Promise<Pick<Sitemap, 'developers' | 'next'>> {
  const count = Math.min(room, DEVELOPERS_MAX)
  const found = await listIndexedDevelopers(db, behind, count + 1)
  const shown = found.slice(0, count)
  const developers = shown.map(({ username, updatedAt }) => ({
    username,
    url: developerUrl(config.baseUrl, username),
    updated_at: updatedAt.toISOString(),
  }))
  const isLast = found.length === shown.length
  return { developers, next: isLast ? null : writeCursor({ part, behind: shown.at(-1)?.uid ?? behind }) }
}

/** Search engines accept 50,000 addresses per file; some are reserved for the store's own pages. */
const SITEMAP_PART_MAX = 50_000 - (COLLECTIONS_MAX + PAGES_MAX + JAMS_IN_SITEMAP + 3)

export interface SitemapEntry {
  url: string
  updated_at?: string
}

interface SitemapPart {
  entries: SitemapEntry[]
  /** The cursor of the next part; null on the last one. */
  next: string | null
}

/** Loads as many addresses as fit into one file, from a cursor on. */
export async function loadSitemapPart(
  deps: Deps,
  cursor: SitemapCursor,
  max = SITEMAP_PART_MAX,
): Promise<SitemapPart> {
  const entries: SitemapEntry[] = []
  let at = cursor
  for (;;) {
    const { listings, developers, next } = await loadSitemap(deps, at)
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
    const { next } = await loadSitemapPart(deps, parseSitemapCursor(starts.at(-1)), max)
    if (next === null) return starts
    starts.push(next)
  }
}
