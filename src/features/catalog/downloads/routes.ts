import { Elysia } from 'elysia'

import { Envelope, ok, Paged } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { clamp, parsePage } from '../../../lib/paging.ts'
import { loadDownloadCounts, loadVersionCounts } from './analytics.ts'
import { apkRoutes } from './apk-routes.ts'
import { inForm } from './apk.ts'
import {
  CountsQuery,
  DAYS_DEFAULT,
  DAYS_MAX,
  DownloadCount,
  DownloadLink,
  DownloadQuery,
  VersionCount,
} from './model.ts'
import { publicDownloadRoutes } from './public-routes.ts'
import { fileInPath, recordRefusals } from './refusals.ts'
import { type Downloads, linkForUser, parseVisit, recordAttempt } from './service.ts'

const tags = ['Downloads']

export function downloadRoutes(kit: HttpKit, downloads: Downloads) {
  return new Elysia({ name: 'all-downloads', tags })
    .use(publicDownloadRoutes(kit, downloads))
    .use(apkRoutes(kit, downloads))
    .use(websiteDownloadRoutes(kit, downloads))
}

function websiteDownloadRoutes(kit: HttpKit, downloads: Downloads) {
  const { deps, log } = downloads
  return createRoutes(kit, { name: 'downloads', prefix: '/api/v1/private/games/:uid', tags })
    .get(
      '/files/:file_uid/download',
      async ({ actor, params, query, request, set }) => {
        set.headers['cache-control'] = 'no-store'
        const { uid, file_uid: fileUid } = params
        const visit = parseVisit(request.headers, deps.config.countryHeader)
        const link = () => inForm(downloads, query, fileUid, linkForUser(downloads, actor, uid, fileUid))
        return ok(await recordAttempt(log, { source: 'library', fileUid, visit }, link))
      },
      {
        onFailure: recordRefusals(downloads, 'library', fileInPath),
        website: true,
        query: DownloadQuery,
        response: Envelope(DownloadLink),
        summary: 'A link to a file you have a licence for, valid for five minutes',
      },
    )
    .get(
      '/analytics/downloads',
      async ({ actor, params, query }) => {
        const days = clamp(query.days, DAYS_DEFAULT, 1, DAYS_MAX)
        return ok(await loadDownloadCounts(downloads, actor, params.uid, days, parsePage(query)))
      },
      {
        website: true,
        query: CountsQuery,
        response: Envelope(Paged(DownloadCount)),
        summary: 'Download attempts by day and outcome',
      },
    )
    .get(
      '/analytics/versions',
      async ({ actor, params, query }) => {
        const days = clamp(query.days, DAYS_DEFAULT, 1, DAYS_MAX)
        return ok(await loadVersionCounts(downloads, actor, params.uid, days, parsePage(query)))
      },
      {
        website: true,
        query: CountsQuery,
        response: Envelope(Paged(VersionCount)),
        summary: 'Download attempts per build, the most downloaded first',
      },
    )
}
