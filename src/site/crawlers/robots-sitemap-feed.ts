import type { Card } from '../../features/catalog/pages/model.ts'
import type { SitemapEntry } from '../../features/catalog/pages/sitemap.ts'
import type { ChangelogEntry } from '../../features/listings/changelog/model.ts'
import { cutAtWord } from '../../lib/text/characters.ts'
import { escapeXml, XML_HEAD } from '../../lib/text/xml.ts'
import { DAY_MS } from '../../lib/time.ts'
import { contactAddress } from '../components/brand.tsx'

const SITEMAP_SPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9'

/** The most changes per listing in a feed, which has many listings. */
const FEED_ITEMS = 20
const FEED_DESCRIPTION = 300
const CONTACT_DAYS = 180

/** Personal pages and endless filter combinations are useless to a search engine. */
const CLOSED = ['/account', '/api/', '/library', '/operate', '/search?', '/setup', '/sign-in', '/studio']

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

/** An Atom feed (RFC 4287). */
export function writeFeed(
  { title, url, pageUrl }: FeedFacts,
  cards: readonly Card[],
  changes: ReadonlyMap<string, ChangelogEntry>,
): string {
  const updated =
    cards
      .map((card) => card.updated_at)
      .toSorted()
      .at(-1) ?? new Date(0).toISOString()
  return `${XML_HEAD}<feed xmlns="http://www.w3.org/2005/Atom">
<id>${escapeXml(url)}</id>
<title>${escapeXml(title)}</title>
<updated>${updated}</updated>
<link rel="self" type="application/atom+xml" href="${escapeXml(url)}"/>
<link rel="alternate" type="text/html" href="${escapeXml(pageUrl)}"/>
${cards.map((card) => writeEntry(card, changes.get(card.uid))).join('\n')}
</feed>
`
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
  const list = items.slice(0, FEED_ITEMS).map(({ title, description }) => {
    const details = escapeXml(cutAtWord(description, FEED_DESCRIPTION))
    return `<li>${escapeXml(title)}${details === '' ? '' : `<br/>${details}`}</li>`
  })
  const html = `<h2>${escapeXml(heading)}</h2>${body_html}${list.length === 0 ? '' : `<ul>${list.join('')}</ul>`}`
  return `<content type="html">${escapeXml(html)}</content>`
}
