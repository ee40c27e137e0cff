import { Elysia } from 'elysia'

import type { HttpKit } from '../../http/kit.ts'
import { THEME_COOKIE, THEMES } from '../../http/visit.ts'
import favicon from './favicon.svg' with { type: 'text' }
import { readNext } from './next.ts'

const YEAR_SECONDS = 365 * 24 * 60 * 60

/** Routes of the frame around every page. */
export function frameRoutes(kit: HttpKit) {
  return new Elysia({ name: 'frame' })
    .use(kit)
    .get(
      '/favicon.svg',
      ({ set }) => {
        set.headers['content-type'] = 'image/svg+xml'
        set.headers['cache-control'] = 'public, max-age=86400'
        return new Response(favicon)
      },
      { open: true, detail: { hide: true } },
    )
    .post(
      '/theme',
      ({ form, set, redirect }) => {
        const chosen = form.get('theme')
        const theme = THEMES.find((known) => known === chosen) ?? 'system'
        const life = theme === 'system' ? 0 : YEAR_SECONDS
        set.headers['set-cookie'] =
          `${THEME_COOKIE}=${theme}; Path=/; Max-Age=${life}; SameSite=Lax; HttpOnly`
        return redirect(readNext(form.get('next')), 303)
      },
      { page: true },
    )
}
