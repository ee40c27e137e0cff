import type { Deps } from '../../deps.ts'
import { DEFAULT_ACCENT } from '../../domain/palette.ts'
import { settingsOf } from '../../features/settings/reader.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { sendText } from '../../http/output/pages.ts'
import { DISMISSED_COOKIE, THEME_COOKIE, THEMES } from '../../http/visit.ts'
import favicon from './favicon.svg' with { type: 'text' }
import { parseNext } from './next.ts'

const YEAR_SECONDS = 365 * 24 * 60 * 60

const ICON_SECONDS = 3600
const internal = () => ({ open: true, detail: { hide: true } }) as const
const ANNOUNCEMENT_ID = /^[0-9a-f]{8}$/

/** Routes of the frame around every page. */
export function frameRoutes(kit: HttpKit, deps: Deps) {
  const readStore = () => settingsOf(deps).storefront()
  return createRoutes(kit, { name: 'frame' })
    .get(
      '/favicon.svg',
      ({ request, set }) => {
        const svg = favicon.replace(DEFAULT_ACCENT, readStore().settings.accent)
        return sendText(svg, 'image/svg+xml', request, set, ICON_SECONDS)
      },
      internal(),
    )
    .post(
      '/announcement/dismiss',
      ({ form, set, redirect }) => {
        const id = form.get('id') ?? ''
        if (ANNOUNCEMENT_ID.test(id))
          set.headers['set-cookie'] =
            `${DISMISSED_COOKIE}=${id}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax; HttpOnly`
        return redirect(parseNext(form.get('next')), 303)
      },
      { page: true },
    )
    .post(
      '/theme',
      ({ form, set, redirect }) => {
        const chosen = form.get('theme')
        const theme = THEMES.find((known) => known === chosen) ?? 'system'
        const life = theme === 'system' ? 0 : YEAR_SECONDS
        set.headers['set-cookie'] =
          `${THEME_COOKIE}=${theme}; Path=/; Max-Age=${life}; SameSite=Lax; HttpOnly`
        return redirect(parseNext(form.get('next')), 303)
      },
      { page: true },
    )
}
