import { Elysia, t } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { Envelope, ok } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { Factsheet, PressKit } from './model.ts'
import { getPressKit, loadPressPage, openPressZip, savePressKit } from './service.ts'

const tags = ['Press']

export function pressRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'press', tags }).use(publicPressRoutes(kit, deps)).use(ownPressRoutes(kit, deps))
}

function ownPressRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'own-press', prefix: '/api/v1/private/games/:uid', tags })
    .get('/press', async ({ actor, params }) => ok(await getPressKit(deps, actor, params.uid)), {
      websiteOrAgent: 'mcp:catalog.read',
      response: Envelope(PressKit),
      summary: 'The press kit',
    })
    .put('/press', async ({ actor, params, body }) => ok(await savePressKit(deps, actor, params.uid, body)), {
      website: true,
      // Validated by the service, because its errors have a code of their own.
      body: t.Unknown(),
      response: Envelope(PressKit),
      summary: 'Replace the press kit',
      fails: 'press_kit_invalid',
    })
}

const ZIP = {
  description: '`factsheet.json`, and the folder `images` with cover, thumbnail and gallery.',
  content: { 'application/zip': { schema: { type: 'string' as const, format: 'binary' }, example: 'PK…' } },
}

function publicPressRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'public-press', prefix: '/api/v1/public/games/:game_id', tags })
    .get(
      '/press',
      async ({ actor, params, set }) => {
        const { factsheet, isIndexed } = await loadPressPage(deps, actor, params.game_id)
        if (!isIndexed) set.headers['x-robots-tag'] = 'noindex'
        return ok(factsheet)
      },
      {
        limit: 'press',
        visitor: true,
        cache: { maxAge: 60 },
        response: Envelope(Factsheet),
        summary: 'The press factsheet of a listing',
        mayMove: true,
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
        summary: 'The press factsheet and images as a zip',
        description: 'Images over 16 MB, and those beyond 64 MB in total, are left out.',
        mayMove: true,
        detail: { responses: { 200: ZIP } },
      },
    )
}
