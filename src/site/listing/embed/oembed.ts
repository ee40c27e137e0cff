import type { Storefront } from '../../../domain/storefront.ts'
import type { Listing } from '../../../features/catalog/pages/model.ts'
import type { Size } from '../../../features/listings/images/model.ts'
import { sizeOfVariant, variantUrl } from '../../../features/listings/images/variants.ts'
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

/** Limits that the consumer set: neither the frame nor the picture of an answer is larger. */
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
  const most = { width: parseBound(maxwidth), height: parseBound(maxheight) }
  const size = {
    width: Math.min(EMBED_SIZE.width, most.width),
    height: Math.min(EMBED_SIZE.height, most.height),
  }
  const picture = findThumbnail(listing, most)
  // A frame in which the price would not fit is left out: what remains describes a link.
  const isReadable = size.width >= LEAST.width && size.height >= LEAST.height
  return {
    version: '1.0',
    type: isReadable ? 'rich' : 'link',
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
    ...(isReadable && {
      html: writeEmbedCode({ baseUrl, vanityName, name, storeName: settings.name }, size),
      ...size,
    }),
  }
}

/** Infinite where nothing that makes sense was asked for. */
function parseBound(asked: string | undefined): number {
  const number = Number(asked)
  return Number.isInteger(number) && number > 0 ? number : Infinity
}

/** The picture of a listing, or its small variant; undefined if neither fits. */
function findThumbnail({ thumbnail, cover }: Listing, most: Size): (Size & { url: string }) | undefined {
  const picture = thumbnail ?? cover
  if (!picture) return undefined
  const small = { ...sizeOfVariant(picture, 'small.jpg'), url: variantUrl(picture.url, 'small.jpg') }
  return [picture, small].find(({ width, height }) => width <= most.width && height <= most.height)
}

export function toXml(answer: ReturnType<typeof toOembed>): string {
  const lines = Object.entries(answer).map(
    ([name, value]) => `  <${name}>${escapeXml(String(value))}</${name}>\n`,
  )
  return `${XML_HEAD}<oembed>\n${lines.join('')}</oembed>\n`
}
