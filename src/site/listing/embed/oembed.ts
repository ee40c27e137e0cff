import type { Storefront } from '../../../domain/storefront.ts'
import type { Listing } from '../../../features/catalog/pages/model.ts'
import { escapeXml, XML_HEAD } from '../../../lib/text/xml.ts'
import { EMBED_SIZE, writeEmbedCode } from './links.ts'

const CACHE_SECONDS = 3600
/** Narrower or lower, the price would not fit. */
const LEAST = { width: 280, height: 140 }
const LISTING_PATH = /^\/games\/([^/]+)(?:\/(?:posts|reviews|files|changelog|press|play)?)?$/

/** The name of the listing whose page this is; null for every other address. */
export function findEmbedded(baseUrl: string, url: string | undefined): string | null {
  if (url === undefined || !URL.canParse(url)) return null
  const { origin, pathname } = new URL(url)
  return origin === new URL(baseUrl).origin ? (LISTING_PATH.exec(pathname)?.[1] ?? null) : null
}

/** Limits that the consumer set; the answer is never larger than they are, down to what is still readable. */
export interface OembedBounds {
  maxwidth?: string | undefined
  maxheight?: string | undefined
}

/** What consumers of oEmbed 1.0 show in place of a link. */
export function toOembed(
  baseUrl: string,
  { settings }: Storefront,
  listing: Listing,
  { maxwidth, maxheight }: OembedBounds,
) {
  const { name, developer, vanity_name: vanityName } = listing
  const size = {
    width: fit(EMBED_SIZE.width, maxwidth, LEAST.width),
    height: fit(EMBED_SIZE.height, maxheight, LEAST.height),
  }
  const picture = listing.thumbnail ?? listing.cover
  return {
    version: '1.0',
    type: 'rich',
    provider_name: settings.name,
    provider_url: `${baseUrl}/`,
    title: name,
    author_name: developer.display_name,
    author_url: `${baseUrl}/developers/${developer.username}`,
    cache_age: CACHE_SECONDS,
    ...(picture && {
      thumbnail_url: picture.url,
      thumbnail_width: picture.width,
      thumbnail_height: picture.height,
    }),
    html: writeEmbedCode({ baseUrl, vanityName, name, storeName: settings.name }, size),
    ...size,
  }
}

function fit(usual: number, asked: string | undefined, least: number): number {
  const number = Number(asked)
  return asked === undefined || !Number.isInteger(number) || number < 1
    ? usual
    : Math.max(least, Math.min(usual, number))
}

export function toXml(answer: ReturnType<typeof toOembed>): string {
  const lines = Object.entries(answer).map(
    ([name, value]) => `  <${name}>${escapeXml(String(value))}</${name}>\n`,
  )
  return `${XML_HEAD}<oembed>\n${lines.join('')}</oembed>\n`
}
