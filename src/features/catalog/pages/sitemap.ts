import type { Deps } from '../../../deps.ts'
import { developerUrl, listingUrl } from '../../../domain/site-urls.ts'
import { invalidField } from '../../../errors.ts'
import { type Sitemap, SITEMAP_PAGE } from './browse-model.ts'
import { listIndexedDevelopers, listIndexedGames } from './sitemap-queries.ts'

const PARTS = ['listings', 'developers'] as const
/** Each developer costs one index lookup, so a page holds fewer of them than of listings. */
const DEVELOPERS_MAX = 2000

/** Where a page starts: after this uid, among the listings or, after the last listing, among the developers. */
export interface SitemapCursor {
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
export async function readSitemap(deps: Deps, cursor: SitemapCursor): Promise<Sitemap> {
  if (cursor.part === 'developers')
    return { listings: [], ...(await readDevelopers(deps, cursor, SITEMAP_PAGE)) }
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
  return { listings, ...(await readDevelopers(deps, FIRST_DEVELOPERS, SITEMAP_PAGE - shown.length)) }
}

async function readDevelopers(
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
