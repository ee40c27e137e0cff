import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import { listingUrl } from '../../domain/site-urls.ts'
import { readProvenanceFor } from '../../features/builds/scans/service.ts'
import { listChildren } from '../../features/catalog/pages/service.ts'
import { ReportInput } from '../../features/community/reports/model.ts'
import { reportPage } from '../../features/community/reports/service.ts'
import { readReviewsOf } from '../../features/community/reviews/service.ts'
import { openPage } from '../../features/games/service.ts'
import { readChangesOf } from '../../features/listings/changelog/service.ts'
import { openPressZip, readPressPage } from '../../features/listings/press/service.ts'
import type { HttpKit } from '../../http/kit.ts'
import type { Visit } from '../../http/visit.ts'
import { readPage } from '../../lib/paging.ts'
import { findFaults } from '../kit/form-check.ts'
import { show } from '../kit/render.ts'
import { requireUser } from '../kit/signed-in.ts'
import { FilePage } from './files/file-page.tsx'
import { PressPage } from './press-page.tsx'
import { ReportPage } from './reports/report-page.tsx'
import { ChangelogPage, ModsPage, ReviewsPage } from './sub-pages.tsx'

const CHILD_KINDS = { mods: 'mod', tools: 'tool' } as const

/** The pages that a store page links to. */
export function listingPages(kit: HttpKit, deps: Deps) {
  const { db, config } = deps

  return new Elysia({ name: 'listing-pages', prefix: '/games/:uid' })
    .use(kit)
    .get(
      '/reviews',
      async ({ params, query, visit, set }) => {
        const { game, canonical } = await open(visit, params.uid, 'reviews')
        const reviews = await readReviewsOf(db, game.uid, readPage(query))
        return show(visit, set, <ReviewsPage {...{ visit, game, canonical, reviews }} />)
      },
      { page: true },
    )
    .get(
      '/changelog',
      async ({ params, query, visit, set }) => {
        const { game, canonical } = await open(visit, params.uid, 'changelog')
        const changes = await readChangesOf(db, game.uid, readPage(query))
        return show(visit, set, <ChangelogPage {...{ visit, game, canonical, changes }} />)
      },
      { page: true },
    )
    .get(
      '/mods',
      async ({ params, query, visit, set }) => {
        const { game, canonical } = await open(visit, params.uid, 'mods')
        const kind = query.kind === 'mods' || query.kind === 'tools' ? query.kind : null
        const children = await deps.reads.visitor(visit.actor, (from) =>
          listChildren(from, game.uid, kind && CHILD_KINDS[kind], readPage(query)),
        )
        return show(visit, set, <ModsPage {...{ visit, game, canonical, children, kind }} />)
      },
      { limit: 'children', page: true },
    )
    .get(
      '/press',
      async ({ params, visit, set }) => {
        const { factsheet: sheet, isIndexed } = await readPressPage(deps, visit.actor, params.uid)
        return show(visit, set, <PressPage {...{ visit, sheet, isIndexed }} />)
      },
      { limit: 'press', page: true },
    )
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
    .get(
      '/files/:file_uid',
      async ({ params, query, visit, set }) => {
        const { game } = await open(visit, params.uid, '')
        const q = query.q?.trim() ?? ''
        const search = { q, page: readPage(query) }
        const file = await readProvenanceFor(db, userOf(visit), game.uid, params.file_uid, search)
        return show(visit, set, <FilePage {...{ visit, game, file, q }} baseUrl={config.baseUrl} />)
      },
      { page: true },
    )
    .get(
      '/report',
      async ({ params, visit, set }) => {
        const { game } = await open(visit, params.uid, '')
        return show(visit, set, <ReportPage {...{ visit, game }} sent={null} />)
      },
      { page: true },
    )
    .post(
      '/report',
      async ({ params, form, visit, set, redirect }) => {
        const user = requireUser(visit.actor)
        const { game } = await open(visit, params.uid, '')
        const values = { reason: form.get('reason') ?? '', text: form.get('text') ?? '' }
        const input = values as ReportInput
        const faults = findFaults(ReportInput, input, form)
        if (faults) {
          return show(visit, set, <ReportPage {...{ visit, game }} sent={{ values, faults }} />, {
            status: 422,
          })
        }
        await reportPage(db, user, game.uid, input)
        return redirect(`/games/${game.vanityName}?done=reported`, 303)
      },
      { page: true, limit: ['page_report', 'listing_write'] },
    )

  async function open(visit: Visit, ref: string, tail: string) {
    const { game } = await openPage(db, userOf(visit), ref)
    return { game, canonical: `${listingUrl(config.baseUrl, game.vanityName)}/${tail}` }
  }
}

function userOf({ actor }: Visit) {
  return actor.kind === 'user' ? actor : null
}
