import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import type { HttpKit } from '../../http/kit.ts'
import { ALWAYS_ASK } from '../../http/output/caching.ts'
import { Envelope, ok } from '../../http/output/envelope.ts'
import { serveAsset } from '../../http/output/pages.ts'
import { openRead } from '../../http/server/admission.ts'
import { BoundedCache } from '../../lib/cache/bounded-cache.ts'
import { renderMarkdown } from '../../lib/text/markdown.ts'
import { PublicPage, PublicStore } from './model.ts'
import { settingsOf } from './reader.ts'
import { imageAddresses, readImage, type ServedImage } from './service.ts'
import { isAnnouncing, readPalette } from './storefront.ts'

const tags = ['Catalog']
const IMMUTABLE = 'public, max-age=31536000, immutable'
/** Seven images of the store and its former ones. */
const IMAGES_BYTES = 8 * 1024 ** 2
/** The one in use, and some that operators try. */
const PALETTES_MAX = 16

/** What anyone may know of the store, its own pages, and the files that it looks like itself by. */
export function storeRoutes(kit: HttpKit, deps: Deps) {
  const { config, database } = deps
  const settings = settingsOf(deps)
  const images = new BoundedCache<ServedImage>({
    maxBytes: IMAGES_BYTES,
    bytesOf: ({ bytes }) => bytes.byteLength,
  })
  const palettes = new BoundedCache<ReturnType<typeof serveAsset>>({ maxEntries: PALETTES_MAX })

  async function readStore(): Promise<PublicStore> {
    const { pages, announcement, ...others } = await settings.read()
    // Who must guard their account how is for operators only.
    const open = { ...others, second_factor: undefined }
    const isShown = isAnnouncing({ announcement }, new Date())
    return {
      ...open,
      announcement: isShown ? announcement : null,
      pages: pages.map(({ slug, title }) => ({ slug, title })),
      ...imageAddresses(config, settings.storefront().images),
    }
  }

  return new Elysia({ name: 'store-settings' })
    .use(kit)
    .get('/api/v1/public/store', async () => ok(await readStore()), {
      visitor: true,
      cache: ALWAYS_ASK,
      response: Envelope(PublicStore),
      detail: { tags, summary: 'The store: its name, looks, pages and policies' },
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
        detail: { tags, summary: 'A page of the store’s own, such as its imprint' },
      },
    )
    .get(
      '/assets/palettes/:file',
      (context) => {
        const { file } = context.params
        const known = palettes.get(file)
        if (known) return known(context)
        const text = readPalette(file)
        if (text === null) throw new AppError('not_found')
        const serve = serveAsset({ path: file, text })
        palettes.set(file, serve)
        return serve(context)
      },
      openRead({ hide: true }),
    )
    .get(
      '/media/store/:file',
      async ({ params }) => {
        const image = images.get(params.file) ?? (await readImage(database.db, params.file))
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
