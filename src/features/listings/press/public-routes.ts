import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { MOVED } from '../../../http/openapi/moved.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { Factsheet } from './model.ts'
import { openPressZip, readPressPage } from './service.ts'

const tags = ['Press']
const ZIP = {
  description: '`factsheet.json`, and the folder `images` with cover, thumbnail and gallery.',
  content: { 'application/zip': { schema: { type: 'string' as const, format: 'binary' }, example: 'PK…' } },
}

export function publicPressRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'public-press', prefix: '/api/v1/public/games/:game_id' })
    .use(kit)
    .get(
      '/press',
      async ({ actor, params, set }) => {
        const { factsheet, isIndexed } = await readPressPage(deps, actor, params.game_id)
        if (!isIndexed) set.headers['x-robots-tag'] = 'noindex'
        return ok(factsheet)
      },
      {
        limit: 'press',
        visitor: true,
        cache: { maxAge: 60 },
        response: Envelope(Factsheet),
        detail: { tags, summary: 'The press factsheet of a listing', responses: MOVED },
      },
    )
    .get(
      '/press.zip',
      async ({ actor, params, set }) => {
        const { filename, bytes, isIndexed } = await openPressZip(deps, actor, params.game_id)
        if (!isIndexed) set.headers['x-robots-tag'] = 'noindex'
        set.headers['content-type'] = 'application/zip'
        set.headers['content-disposition'] = `attachment; filename="${filename}"`
        set.headers['cache-control'] = 'no-store'
        return new Response(bytes)
      },
      {
        limit: ['press_zip', 'press'],
        visitor: true,
        detail: {
          tags,
          summary: 'The press factsheet and images as a zip',
          description: 'Images over 16 MB, and those beyond 64 MB in total, are left out.',
          responses: { ...MOVED, 200: ZIP },
        },
      },
    )
}
