import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { openRead } from '../../../http/server/admission.ts'
import { openScreenshot } from './service.ts'

/** Serves the screenshots of tickets to those who hold a signed link. */
export function screenshotRoutes(deps: Deps) {
  return new Elysia({ name: 'bug-screenshots' }).get(
    '/screenshots/:game_uid/:file',
    async ({ params, query }) => {
      const objectKey = `screenshots/${params.game_uid}/${params.file}`
      const { stream, size, contentType } = await openScreenshot(deps, params.game_uid, objectKey, query)
      const headers = {
        'Content-Type': contentType,
        'Content-Length': String(size),
        'Content-Disposition': 'inline',
        'Cache-Control': 'private, no-store',
        'Cross-Origin-Resource-Policy': 'cross-origin',
      }
      return new Response(stream, { headers })
    },
    openRead({ hide: true }),
  )
}
