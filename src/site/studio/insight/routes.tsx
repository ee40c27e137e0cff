import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { listMoves } from '../../../features/builds/channels/service.ts'
import { listBuilds } from '../../../features/builds/registry/service.ts'
import { readDownloadCounts, readVersionCounts } from '../../../features/catalog/downloads/analytics.ts'
import type { Downloads } from '../../../features/catalog/downloads/downloads.ts'
import { DAYS_DEFAULT, DAYS_MAX } from '../../../features/catalog/downloads/model.ts'
import { readDownloadTotals } from '../../../features/catalog/downloads/totals.ts'
import { listCrashes, readCrash } from '../../../features/telemetry/crashes/service.ts'
import { readHealthOf } from '../../../features/telemetry/health/service.ts'
import { readEventQuota } from '../../../features/telemetry/quota/service.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { clamp, type Page, type Paged, readPage } from '../../../lib/paging.ts'
import { sendCsv } from '../frame/csv.ts'
import { openProject, type Project, projectPages, type ShowTab } from '../frame/project.ts'
import { CrashesPage, CrashPage } from './crashes-page.tsx'
import { DownloadsPage } from './downloads-page.tsx'
import { type BuildReport, HealthPage } from './health-page.tsx'
import { downloadLines } from './refusal-reasons.ts'

/** Rows shown on one page. */
const MOST = readPage({ page_size: '50' })
/** Rows of a CSV file, the newest first. */
const EXPORTED: Page = { page: 1, page_size: 5000, offset: 0 }

/** How builds start, why they crash, and who downloads them. */
export function insightRoutes(kit: HttpKit, deps: Deps, downloads: Downloads) {
  const { view } = projectPages(deps)
  async function readHealth({ user, listing }: Project, page: Page): Promise<Paged<BuildReport>> {
    const builds = await listBuilds(deps, user, listing.uid, page)
    const health = await readHealthOf(
      deps.db,
      builds.items.map(({ build_id }) => build_id),
    )
    const items = builds.items.map((build) => ({ build, health: health.get(build.build_id) }))
    return { ...builds, items }
  }

  const showHealth: ShowTab = async (project, state) => {
    const [reports, quota] = await Promise.all([
      readHealth(project, readPage(state.query)),
      readEventQuota(deps, project.listing.uid, Date.now()),
    ])
    return <HealthPage {...{ project, state, reports, quota }} />
  }

  const showCrashes: ShowTab = async (project, state) => {
    const { user, listing } = project
    const [groups, quota] = await Promise.all([
      listCrashes(deps, user, listing.uid, undefined, readPage(state.query)),
      readEventQuota(deps, listing.uid, Date.now()),
    ])
    return <CrashesPage {...{ project, state, groups, quota }} />
  }

  const showCrash: ShowTab = async (project, state) => {
    const uid = state.params.crash_uid ?? ''
    const crash = await readCrash(deps, project.user, project.listing.uid, uid)
    return <CrashPage {...{ project, state, crash }} />
  }

  const showDownloads: ShowTab = async (project, state) => {
    const { user, listing } = project
    const days = clamp(state.query.days, DAYS_DEFAULT, 1, DAYS_MAX)
    const [totals, versions, counts, moves] = await Promise.all([
      readDownloadTotals(downloads, user, listing.uid, days),
      readVersionCounts(downloads, user, listing.uid, days, MOST),
      readDownloadCounts(downloads, user, listing.uid, days, readPage(state.query)),
      listMoves(deps, user, listing.uid, MOST),
    ])
    return (
      <DownloadsPage
        {...{ project, state, days, totals, versions: versions.items, counts, moves: moves.items }}
      />
    )
  }

  return new Elysia({ name: 'studio-insight', prefix: '/studio/:uid' })
    .use(kit)
    .get('/health', view(showHealth), { page: true })
    .get(
      '/health.csv',
      async ({ visit, params, set }) => {
        const project = await openProject(deps, visit, params.uid)
        const { items } = await readHealth(project, EXPORTED)
        const rows = items.map(({ build, health }) => [
          build.version,
          build.os,
          build.arch,
          build.channel,
          health?.band ?? 'unrated',
          health?.devices ?? 0,
          health?.boot_ok ?? 0,
          health?.crashed ?? 0,
          health?.left_out ?? 0,
          health?.median_session_s ?? null,
          build.app,
        ])
        const head = [
          'version',
          'os',
          'arch',
          'channel',
          'band',
          'devices',
          'boot_ok',
          'crashed',
          'left_out',
          'median_session_s',
          'app',
        ]
        return sendCsv(set, `${project.listing.vanity_name}-health`, [head, ...rows])
      },
      { page: true },
    )
    .get('/crashes', view(showCrashes), { page: true })
    .get(
      '/crashes.csv',
      async ({ visit, params, set }) => {
        const project = await openProject(deps, visit, params.uid)
        const { items } = await listCrashes(deps, project.user, project.listing.uid, undefined, EXPORTED)
        const rows = items.map(
          ({ signature, reason, count, devices, first_seen_at, last_seen_at, versions }) => [
            signature,
            reason,
            count,
            devices,
            first_seen_at,
            last_seen_at,
            versions.join(' '),
          ],
        )
        const head = ['signature', 'reason', 'count', 'devices', 'first_seen_at', 'last_seen_at', 'versions']
        return sendCsv(set, `${project.listing.vanity_name}-crashes`, [head, ...rows])
      },
      { page: true },
    )
    .get('/crashes/:crash_uid', view(showCrash), { page: true })
    .get('/downloads', view(showDownloads), { page: true })
    .get(
      '/downloads.csv',
      async ({ visit, params, query, set }) => {
        const project = await openProject(deps, visit, params.uid)
        const days = clamp(query.days, DAYS_DEFAULT, 1, DAYS_MAX)
        const totals = await readDownloadTotals(downloads, project.user, project.listing.uid, days)
        return sendCsv(set, `${project.listing.vanity_name}-downloads`, downloadLines(totals))
      },
      { page: true },
    )
}
