import type { Deps } from '../../../deps.ts'
import { derivePalette } from '../../../domain/palette.ts'
import type { Storefront } from '../../../domain/storefront.ts'
import { AppError, Moved } from '../../../errors.ts'
import type { Listing } from '../../../features/catalog/pages/model.ts'
import { settingsOf } from '../../../features/settings/reader.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import type { HeaderSet } from '../../../http/output/caching.ts'
import { sendPage, sendText } from '../../../http/output/pages.ts'
import { parseEncoding } from '../../../http/server/compression.ts'
import { escapeXml } from '../../../lib/text/xml.ts'
import { priceText } from '../../kit/labels.tsx'
import { renderPage } from '../../kit/render.ts'
import { loadGuestStore, type StoreCache } from '../read-store.ts'
import type { StoreData } from '../store-data.ts'
import { EmbedPage } from './embed-page.tsx'
import { findEmbedded, toOembed, toXml } from './oembed.ts'

const SECONDS = 60
const counted = () => ({ open: true, limit: 'embed', detail: { hide: true } }) as const

/** Listings on other websites. Nobody is signed in there, so that every visitor sees the same. */
export function embedRoutes(kit: HttpKit, deps: Deps, cache: StoreCache) {
  const { baseUrl } = deps.config
  const readStore = () => settingsOf(deps).storefront()

  /** What guests may not see, and adult listings, are missing. */
  async function load(ref: string): Promise<StoreData> {
    const shown = await loadGuestStore(cache, ref)
    if (shown.listing.adult) throw new AppError('not_found')
    return shown
  }

  /** The address that was asked for is in the query, so an old name is not redirected. */
  async function follow(ref: string): Promise<StoreData> {
    try {
      return await load(ref)
    } catch (error) {
      if (!(error instanceof Moved)) throw error
      return await load(error.to)
    }
  }

  return createRoutes(kit, { name: 'embeds' })
    .get(
      '/embed/:uid',
      async ({ params, request, set }) => {
        const page = <EmbedPage store={readStore()} shown={await load(params.uid)} />
        share(set)
        return sendPage(renderPage(page, parseEncoding(request.headers)), request, set, {
          maxAge: SECONDS,
          isEmbeddable: true,
        })
      },
      counted(),
    )
    .get(
      '/embed/:uid/badge.svg',
      async ({ params, request, set }) => {
        const { listing } = await load(params.uid)
        const svg = drawBadge(readStore(), listing)
        share(set)
        return sendText(svg, 'image/svg+xml', request, set, SECONDS)
      },
      counted(),
    )
    .get(
      '/oembed',
      async ({ query, request, set }) => {
        const { url, format = 'json', maxwidth, maxheight } = query
        if (format !== 'json' && format !== 'xml') {
          return new Response('Formats are json and xml.', { status: 501 })
        }
        const ref = findEmbedded(baseUrl, url)
        if (ref === null) throw new AppError('not_found')
        const { listing } = await follow(ref)
        const answer = toOembed(baseUrl, readStore(), listing, { maxwidth, maxheight })
        share(set)
        set.headers['access-control-allow-origin'] = '*'
        return format === 'xml'
          ? sendText(toXml(answer), 'text/xml', request, set, SECONDS)
          : sendText(JSON.stringify(answer), 'application/json', request, set, SECONDS)
      },
      counted(),
    )
}

/** Pages that isolate themselves take only what says that it may be shown elsewhere. */
function share(set: HeaderSet): void {
  set.headers['cross-origin-resource-policy'] = 'cross-origin'
}

const HEIGHT = 48
const PADDING = 14
/** Nothing measures text here; the widest letters of system fonts at these sizes fit. */
const NAME = { size: 15, letter: 9.8, most: 32 }
const LINE = { size: 11, letter: 6.8, most: 48 }
const PRICE = { size: 14, letter: 8.6 }

/** A badge for other websites: the name, the store and the price, in the colours of the store. */
function drawBadge({ settings }: Storefront, { name, price, accent }: Listing): string {
  const { light } = derivePalette(settings.page_accent ? (accent ?? settings.accent) : settings.accent)
  const title = shorten(name, NAME.most)
  const line = shorten(`on ${settings.name}`, LINE.most)
  const amount = priceText(price)
  const left = Math.ceil(Math.max(title.length * NAME.letter, line.length * LINE.letter)) + 2 * PADDING
  const right = Math.ceil(amount.length * PRICE.letter) + 2 * PADDING
  const width = left + right
  const font = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}" role="img">
<title>${escapeXml(`${name} on ${settings.name}: ${amount}`)}</title>
<clipPath id="c"><rect width="${width}" height="${HEIGHT}" rx="8"/></clipPath>
<g clip-path="url(#c)" font-family="${font}">
<rect width="${left}" height="${HEIGHT}" fill="${light.ink}"/>
<rect x="${left}" width="${right}" height="${HEIGHT}" fill="${light.accent}"/>
<text x="${PADDING}" y="21" font-size="${NAME.size}" font-weight="700" fill="${light.page}">${escapeXml(title)}</text>
<text x="${PADDING}" y="38" font-size="${LINE.size}" fill="${light.page}">${escapeXml(line)}</text>
<text x="${left + right / 2}" y="29" font-size="${PRICE.size}" font-weight="700" text-anchor="middle" fill="${light['accent-ink']}">${escapeXml(amount)}</text>
</g>
</svg>
`
}

function shorten(text: string, most: number): string {
  const characters = Array.from(text)
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`
}
