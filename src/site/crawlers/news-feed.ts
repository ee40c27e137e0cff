import type { News } from '../../features/community/feeds/service.ts'
import { escapeXml, XML_HEAD } from '../../lib/text/xml.ts'
import type { FeedFacts } from './robots-sitemap-feed.ts'

/** A feed ends before the entry that would make it longer; the first one always fits. */
const CHARACTERS_MAX = 2 * 1024 ** 2

interface WrittenFeed {
  text: string
  updatedAt: Date
}

/** An Atom feed (RFC 4287) with the whole texts. Without entries it was updated at `since`. */
export function writeNewsFeed(
  { title, url, pageUrl }: FeedFacts,
  news: readonly News[],
  since: Date,
): WrittenFeed {
  const updatedAt = news.reduce((latest, one) => (one.updatedAt > latest ? one.updatedAt : latest), since)
  const entries: string[] = []
  let length = 0
  for (const one of news) {
    const entry = writeEntry(one)
    length += entry.length
    if (entries.length > 0 && length > CHARACTERS_MAX) break
    entries.push(entry)
  }
  const text = `${XML_HEAD}<feed xmlns="http://www.w3.org/2005/Atom">
<id>${escapeXml(pageUrl)}</id>
<title>${escapeXml(title)}</title>
<updated>${updatedAt.toISOString()}</updated>
<link rel="self" type="application/atom+xml" href="${escapeXml(url)}"/>
<link rel="alternate" type="text/html" href="${escapeXml(pageUrl)}"/>
${entries.join('\n')}
</feed>
`
  return { text, updatedAt }
}

function writeEntry({ uid, title, url, author, publishedAt, updatedAt, ...content }: News): string {
  return `<entry>
<id>urn:uuid:${uid}</id>
<title>${escapeXml(title)}</title>
<link rel="alternate" type="text/html" href="${escapeXml(url)}"/>
<published>${publishedAt.toISOString()}</published>
<updated>${updatedAt.toISOString()}</updated>
<author><name>${escapeXml(author.name)}</name><uri>${escapeXml(author.url)}</uri></author>
<content type="html">${escapeXml(toHtml(content))}</content>
</entry>`
}

function toHtml({ picture, html, items }: Pick<News, 'picture' | 'html' | 'items'>): string {
  const image = picture === null ? '' : `<p><img src="${escapeXml(picture)}" alt=""/></p>`
  const list = items.map(({ title, description }) => {
    const details = escapeXml(description).replaceAll('\n', '<br/>')
    return `<li>${escapeXml(title)}${details === '' ? '' : `<br/>${details}`}</li>`
  })
  return `${image}${html}${list.length === 0 ? '' : `<ul>${list.join('')}</ul>`}`
}
