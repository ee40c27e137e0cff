import type { Deps } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import { Envelope, ok } from '../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { ALWAYS_ASK, type HeaderSet } from '../../http/output/caching.ts'
import { serveAsset } from '../../http/output/pages.ts'
import { openRead } from '../../http/server/admission.ts'
import { BoundedCache } from '../../lib/cache/bounded-cache.ts'
import { renderMarkdown } from '../../lib/text/markdown.ts'
import { findFont, parseLooks } from './looks.ts'
import { PublicPage, PublicStore } from './model.ts'
import { settingsOf } from './reader.ts'
import { findImage, imageAddresses, type ServedImage, toPublic } from './service.ts'
import { isAnnouncing, parsePalette } from './storefront.ts'

const IMMUTABLE = 'public, max-age=31536000, immutable'
/** The cache of served images: room for all images of the store and some replaced ones. */
const IMAGES_BYTES = 8 * 1024 ** 2
/** Cached style sheets: those in use and some that operators preview. */
const SHEETS_MAX = 16

/** Public routes: facts about the store, the pages its operators wrote, its images and style sheets. */
export function storeRoutes(kit: HttpKit, deps: Deps) {
  const { config, database } = deps
  const settings = settingsOf(deps)
  const images = new BoundedCache<ServedImage>({
    maxBytes: IMAGES_BYTES,
    bytesOf: ({ bytes }) => bytes.byteLength,
  })
  const sheets = new BoundedCache<ReturnType<typeof serveAsset>>({ maxEntries: SHEETS_MAX })

  /** Serves a style sheet that is made from what its address says. */
  function sheetRoute(parse: (file: string) => string | null) {
    return (context: { request: Request; set: HeaderSet; params: { file: string } }) => {
      const { file } = context.params
      const known = sheets.get(file)
      if (known) return known(context)
      const text = parse(file)
      if (text === null) throw new AppError('not_found')
      const serve = serveAsset({ path: file, text })
      sheets.set(file, serve)
      return serve(context)
    }
  }

  async function loadStore(): Promise<PublicStore> {
    const known = await settings.read()
    return {
      ...toPublic(known),
      announcement: isAnnouncing(known, new Date()) ? known.announcement : null,
      pages: known.pages.map(({ slug, title }) => ({ slug, title })),
      ...imageAddresses(config, settings.storefront().images),
    }
  }

  return createRoutes(kit, { name: 'store-settings', tags: ['Catalog'] })
    .get('/api/v1/public/store', async () => ok(await loadStore()), {
      visitor: true,
      cache: ALWAYS_ASK,
      response: Envelope(PublicStore),
      summary: 'The store: its name, looks, pages and policies',
    })
    .get(
      '/api/v1/public/pages/:slug',
      async ({ params }) => {
        const { pages } = await settings.read()
        const page = pages.find(({ slug }) => slug === params.slug)
        if (!page) throw new AppError('not_found')
        return ok({ ...page, html: renderMarkdown(page.markdown, config.baseUrl) })
      },
      {
        visitor: true,
        cache: ALWAYS_ASK,
        response: Envelope(PublicPage),
        summary: 'A page of the store’s own, such as its imprint',
      },
    )
    .get('/assets/palettes/:file', sheetRoute(parsePalette), openRead({ hide: true }))
    .get('/assets/looks/:file', sheetRoute(parseLooks), openRead({ hide: true }))
    .get(
      '/assets/fonts/:file',
      ({ params }) => {
        const font = findFont(params.file)
        if (font === null) throw new AppError('not_found')
        return new Response(font, { headers: { 'Content-Type': 'font/woff2', 'Cache-Control': IMMUTABLE } })
      },
      openRead({ hide: true }),
    )
    .get(
      '/media/store/:file',
      async ({ params }) => {
        const image = images.get(params.file) ?? (await findImage(database.db, params.file))
        if (!image) throw new AppError('not_found')
        images.set(params.file, image)
        return new Response(image.bytes, {
          headers: {
            'Content-Type': image.type,
            'Cache-Control': IMMUTABLE,
            'Cross-Origin-Resource-Policy': 'cross-origin',
          },
        })
      },
      openRead({ hide: true }),
    )
}
