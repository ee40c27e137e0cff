import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { AppError, Moved } from '../../../errors.ts'
import { settingsOf } from '../../../features/settings/reader.ts'
import type { HttpKit } from '../../../http/kit.ts'
import type { HeaderSet } from '../../../http/output/caching.ts'
import { sendPage, sendText } from '../../../http/output/pages.ts'
import { parseEncoding } from '../../../http/server/compression.ts'
import { renderPage } from '../../kit/render.ts'
import { loadGuestStore, type StoreCache } from '../read-store.ts'
import type { StoreData } from '../store-data.ts'
import { drawBadge } from './badge.ts'
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

  return new Elysia({ name: 'embeds' })
    .use(kit)
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
