import type { Card } from '../../features/catalog/pages/model.ts'
import type { SitemapEntry } from '../../features/catalog/pages/sitemap.ts'
import type { ChangelogEntry } from '../../features/listings/changelog/model.ts'
import { escapeXml, XML_HEAD } from '../../lib/text/xml.ts'
import { DAY_MS } from '../../lib/time.ts'
import { contactAddress } from '../components/brand.tsx'

const SITEMAP_SPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9'

/** A feed ends before the listing that would make it longer; the first one always fits. */
const FEED_CHARACTERS_MAX = 2 * 1024 ** 2
const CONTACT_DAYS = 180

/** Personal pages and endless filter combinations are useless to a search engine. */
const CLOSED = [
  '/account',
  '/api/',
  '/following',
  '/library',
  '/notices',
  '/operate',
  '/search?',
  '/setup',
  '/sign-in',
  '/studio',
  '/wishlist',
]

export function writeRobots(baseUrl: string, isIndexed: boolean): string {
  if (!isIndexed) return 'User-agent: *\nDisallow: /\n'
  const rules = CLOSED.map((path) => `Disallow: ${path}`)
  return ['User-agent: *', ...rules, '', `Sitemap: ${baseUrl}/sitemap.xml`, ''].join('\n')
}

/** RFC 9116: where to report a weakness. The expiry is a whole day, so that the text changes once a day. */
export function writeSecurityContact(baseUrl: string, contact: string, now: Date): string {
  const expires = new Date(now.getTime() + CONTACT_DAYS * DAY_MS).toISOString().slice(0, 10)
  return [
    `Contact: ${contactAddress(contact)}`,
    `Expires: ${expires}T00:00:00.000Z`,
    `Canonical: ${baseUrl}/.well-known/security.txt`,
    '',
  ].join('\n')
}

export function writeSitemap(entries: readonly SitemapEntry[]): string {
  const urls = entries.map(({ url, updated_at }) => {
    const changed = updated_at === undefined ? '' : `<lastmod>${escapeXml(updated_at)}</lastmod>`
    return `<url><loc>${escapeXml(url)}</loc>${changed}</url>`
  })
  return `${XML_HEAD}<urlset xmlns="${SITEMAP_SPACE}">\n${urls.join('\n')}\n</urlset>\n`
}

export function writeSitemapIndex(baseUrl: string, parts: readonly string[]): string {
  const maps = parts.map((cursor) => {
    const loc = `${baseUrl}/sitemap.xml?part=${cursor === '' ? 'first' : cursor}`
    return `<sitemap><loc>${escapeXml(loc)}</loc></sitemap>`
  })
  return `${XML_HEAD}<sitemapindex xmlns="${SITEMAP_SPACE}">\n${maps.join('\n')}\n</sitemapindex>\n`
}

export interface FeedFacts {
  title: string
  /** Its own address. */
  url: string
  /** The page that shows the same. */
  pageUrl: string
}

/** An Atom feed (RFC 4287) of listings, with when it was updated. */
export function writeFeed(
  { title, url, pageUrl }: FeedFacts,
  cards: readonly Card[],
  changes: ReadonlyMap<string, ChangelogEntry>,
): { text: string; updatedAt: Date } {
  const updated =
    cards
      .map((card) => card.updated_at)
      .toSorted()
      .at(-1) ?? new Date(0).toISOString()
  const entries: string[] = []
  let length = 0
  for (const card of cards) {
    const entry = writeEntry(card, changes.get(card.uid))
    length += entry.length
    if (entries.length > 0 && length > FEED_CHARACTERS_MAX) break
    entries.push(entry)
  }
  const text = `${XML_HEAD}<feed xmlns="http://www.w3.org/2005/Atom">
<id>${escapeXml(url)}</id>
<title>${escapeXml(title)}</title>
<updated>${updated}</updated>
<link rel="self" type="application/atom+xml" href="${escapeXml(url)}"/>
<link rel="alternate" type="text/html" href="${escapeXml(pageUrl)}"/>
${entries.join('\n')}
</feed>
`
  return { text, updatedAt: new Date(updated) }
}

function writeEntry(card: Card, change: ChangelogEntry | undefined): string {
  return `<entry>
<id>urn:uuid:${card.uid}</id>
<title>${escapeXml(card.name)}</title>
<link rel="alternate" type="text/html" href="${escapeXml(card.url)}"/>
<published>${card.published_at ?? card.updated_at}</published>
<updated>${card.updated_at}</updated>
<author><name>${escapeXml(card.developer.display_name)}</name></author>
<summary>${escapeXml(card.tagline)}</summary>${change ? `\n${writeChange(change)}` : ''}
</entry>`
}

/** What is new, as the HTML that feed readers show under the summary. */
function writeChange({ title, version, body_html, items }: ChangelogEntry): string {
  const heading = version === null || version === title ? title : `${title} (${version})`
  const list = items.map(({ title, description }) => {
    const details = escapeXml(description).replaceAll('\n', '<br/>')
    return `<li>${escapeXml(title)}${details === '' ? '' : `<br/>${details}`}</li>`
  })
  const html = `<h2>${escapeXml(heading)}</h2>${body_html}${list.length === 0 ? '' : `<ul>${list.join('')}</ul>`}`
  return `<content type="html">${escapeXml(html)}</content>`
}
