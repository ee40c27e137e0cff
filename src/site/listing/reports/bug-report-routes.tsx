import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { reportFromStore } from '../../../features/bugs/reports/service.ts'
import { isReporterOn } from '../../../features/bugs/settings/service.ts'
import { findLicense } from '../../../features/community/library/service.ts'
import { type GameRow, openPage } from '../../../features/games/service.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { type Act, pagesAbout, requireUser, type ShowPage } from '../../kit/pages.ts'
import { BugReportPage } from './report-page.tsx'

interface Reporting {
  game: GameRow
  hasLicense: boolean
}

/** Reporting a bug from the store page. */
export function bugPages(kit: HttpKit, deps: Deps) {
  /** Not found while the reporter is off. */
  const { view, submit } = pagesAbout<Reporting>(async ({ visit: { actor }, params: { uid = '' } }) => {
    const user = actor.kind === 'user' ? actor : null
    const { game } = await openPage(deps.db, user, uid)
    if (!(await isReporterOn(deps.db, game.uid))) throw new AppError('not_found')
    const license = user && (await findLicense(deps.db, user.userUid, game.uid))
    return { game, hasLicense: Boolean(license) }
  })

  const showForm: ShowPage<Reporting> = (reporting, state) => <BugReportPage {...{ state, ...reporting }} />

  /** Reads the form as a stream, because of its files, and keeps the texts to show them again. */
  const report: Act<Reporting> = async ({ game }, form, { visit, request, server }) => {
    const onFields = (fields: ReadonlyMap<string, string>) => {
      for (const [name, value] of fields) form.set(name, value)
    }
    await reportFromStore(deps, requireUser(visit.actor), game.uid, { request, server, onFields })
    return `/games/${game.vanityName}?done=bug_reported`
  }

  return createRoutes(kit, { name: 'bug-pages' })
    .get('/games/:uid/report-bug', view(showForm), { page: true })
    .post('/games/:uid/report-bug', submit('bug', report, showForm), {
      rawBody: true,
      page: true,
      limit: 'listing_write',
    })
}
