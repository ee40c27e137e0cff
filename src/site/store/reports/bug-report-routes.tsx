import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { AppError, type Issue } from '../../../errors.ts'
import { acknowledgeAnyNotices } from '../../../features/bugs/notices/service.ts'
import { reportFromStore } from '../../../features/bugs/reports/service.ts'
import { isReporterOn } from '../../../features/bugs/settings/service.ts'
import { findLicense } from '../../../features/community/library/service.ts'
import { openPage } from '../../../features/games/service.ts'
import type { HttpKit } from '../../../http/kit.ts'
import type { Visit } from '../../../http/visit.ts'
import { sayOnPage } from '../../kit/field-words.ts'
import { show } from '../../kit/render.ts'
import { requireUser } from '../../kit/signed-in.ts'
import { BugReportPage } from './bug-report-page.tsx'

/** The field that a fault without one is shown at. */
const FIRST_FIELD = 'message'
const SHOWN_AT_FORM = new Set([400, 413, 429])

/** Reporting a bug from the store page, and the notices that follow. */
export function bugPages(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'bug-pages' })
    .use(kit)
    .get(
      '/games/:uid/report-bug',
      async ({ params, visit, set }) => {
        const opened = await open(visit, params.uid)
        return show(visit, set, <BugReportPage {...{ visit, ...opened }} sent={null} />)
      },
      { page: true },
    )
    .post(
      '/games/:uid/report-bug',
      async ({ params, visit, set, redirect, request, server }) => {
        const user = requireUser(visit.actor)
        const { game, hasLicense } = await open(visit, params.uid)
        let values: Record<string, string> = {}
        const onFields = (fields: ReadonlyMap<string, string>) => {
          values = Object.fromEntries(fields)
        }
        try {
          await reportFromStore(deps, user, game.uid, { request, server, onFields })
        } catch (error) {
          if (!(error instanceof AppError) || !SHOWN_AT_FORM.has(error.status)) throw error
          const sent = { values, faults: [faultOf(error)] }
          const page = <BugReportPage {...{ visit, game, hasLicense, sent }} />
          return show(visit, set, page, { status: error.status })
        }
        return redirect(`/games/${game.vanityName}?done=bug_reported`, 303)
      },
      { rawBody: true, page: true, limit: 'listing_write' },
    )
    .post(
      '/library/notices',
      async ({ form, visit, redirect }) => {
        await acknowledgeAnyNotices(deps, requireUser(visit.actor), form.getAll('uid'))
        return redirect('/library', 303)
      },
      { page: true, limit: 'bug_notices' },
    )

  /** Missing while the reporter is off. */
  async function open({ actor }: Visit, ref: string) {
    const user = actor.kind === 'user' ? actor : null
    const { game } = await openPage(deps.db, user, ref)
    if (!(await isReporterOn(deps.db, game.uid))) throw new AppError('not_found')
    const license = user && (await findLicense(deps.db, user.userUid, game.uid))
    return { game, hasLicense: Boolean(license) }
  }
}

function faultOf({ data, message }: AppError): Issue {
  const { issues = [] }: { issues?: readonly Issue[] } = data ?? {}
  const [issue] = issues
  return { path: issue?.path || FIRST_FIELD, message: issue ? sayOnPage(issue) : message }
}
