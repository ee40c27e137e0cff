import type { Deps } from '../../deps.ts'
import { listingUrl } from '../../domain/site-urls.ts'
import { loadProvenanceFor } from '../../features/builds/scans/service.ts'
import { listChildren } from '../../features/catalog/pages/service.ts'
import { ReportInput } from '../../features/community/reports/model.ts'
import { reportPage } from '../../features/community/reports/service.ts'
import { type GameRow, openPage } from '../../features/games/service.ts'
import { loadPressPage, openPressZip } from '../../features/listings/press/service.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import type { Visit } from '../../http/visit.ts'
import { parsePage } from '../../lib/paging.ts'
import { readForm, textOf } from '../kit/form-state.ts'
import { type Act, pagesAbout, publicPages, requireUser, type ShowPage } from '../kit/pages.ts'
import { FilePage } from './files/file-page.tsx'
import { refusedStatus } from './refused-status.ts'
import { ReportPage } from './reports/report-page.tsx'
import { ModsPage, PressPage } from './sub-pages.tsx'

const CHILD_KINDS = { mods: 'mod', tools: 'tool' } as const

/** The pages that a store page links to. */
export function listingPages(kit: HttpKit, deps: Deps) {
  const { db, config } = deps
  const { view, submit } = pagesAbout<GameRow>(async ({ visit, params: { uid = '' } }) => {
    const { game } = await openPage(db, userOf(visit), uid)
    return game
  })
  const canonicalOf = ({ vanityName }: GameRow, tail: string) =>
    `${listingUrl(config.baseUrl, vanityName)}/${tail}`

  const showMods: ShowPage<GameRow> = async (game, { visit, query }) => {
    const kind = query.kind === 'mods' || query.kind === 'tools' ? query.kind : null
    const children = await deps.reads.visitor(visit.actor, (from) =>
      listChildren(from, visit.actor, game.uid, kind && CHILD_KINDS[kind], parsePage(query)),
    )
    return <ModsPage {...{ visit, game, children, kind }} canonical={canonicalOf(game, 'mods')} />
  }

  const showPress: ShowPage = async (actor, { visit, params }) => {
    const { factsheet: sheet, isIndexed } = await loadPressPage(deps, actor, params.uid ?? '')
    return <PressPage {...{ visit, sheet, isIndexed }} />
  }

  const showFile: ShowPage<GameRow> = async (game, { visit, params, query }) => {
    const q = query.q?.trim() ?? ''
    const search = { q, page: parsePage(query) }
    const file = await loadProvenanceFor(db, userOf(visit), game.uid, params.file_uid ?? '', search)
    return <FilePage {...{ visit, game, file, q }} baseUrl={config.baseUrl} />
  }

  const showReport: ShowPage<GameRow> = (game, state) => ({
    page: (
      <ReportPage {...{ state, game }} post={state.refused?.form.values.get('post') ?? state.query.post} />
    ),
    ...refusedStatus(state.refused),
  })

  const report: Act<GameRow> = async (game, form, { visit }) => {
    const user = requireUser(visit.actor)
    const input = readForm(ReportInput, form, { reason: textOf, text: textOf })
    await reportPage(db, user, game.uid, input)
    return `/games/${game.vanityName}?done=reported`
  }

  return createRoutes(kit, { name: 'listing-pages', prefix: '/games/:uid' })
    .get('/mods', view(showMods), { limit: 'children', page: true })
    .get('/press', publicPages.view(showPress), { limit: 'press', page: true })
    .get(
      '/press.zip',
      async ({ params, visit, set }) => {
        const { filename, bytes } = await openPressZip(deps, visit.actor, params.uid)
        set.headers['x-robots-tag'] = 'noindex'
        set.headers['content-type'] = 'application/zip'
        set.headers['content-disposition'] = `attachment; filename="${filename}"`
        set.headers['cache-control'] = 'no-store'
        return new Response(bytes)
      },
      { limit: ['press_page_zip', 'press_zip', 'press'], page: true },
    )
    .get('/files/:file_uid', view(showFile), { page: true })
    .get('/report', view(showReport), { page: true })
    .post('/report', submit('report', report, showReport), {
      page: true,
      limit: ['page_report', 'listing_write'],
    })
}

function userOf({ actor }: Visit) {
  return actor.kind === 'user' ? actor : null
}
