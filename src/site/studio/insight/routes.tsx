import type { Deps } from '../../../deps.ts'
import { listMoves } from '../../../features/builds/channels/service.ts'
import { listBuilds } from '../../../features/builds/registry/service.ts'
import {
  loadDownloadCounts,
  loadDownloadTotals,
  loadVersionCounts,
} from '../../../features/catalog/downloads/analytics.ts'
import { DAYS_DEFAULT, DAYS_MAX } from '../../../features/catalog/downloads/model.ts'
import type { Downloads } from '../../../features/catalog/downloads/service.ts'
import type { CrashGroup } from '../../../features/telemetry/crashes/model.ts'
import { listCrashes, loadCrash } from '../../../features/telemetry/crashes/service.ts'
import { loadHealthOf } from '../../../features/telemetry/health/service.ts'
import { loadEventQuota } from '../../../features/telemetry/quota/service.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { clamp, type Page, type Paged, parsePage } from '../../../lib/paging.ts'
import { sendCsv } from '../frame/csv.ts'
import { openProject, type Project, projectPages, type ShowTab } from '../frame/studio-frame.tsx'
import { CrashesPage, CrashPage } from './crashes-page.tsx'
import { downloadLines, DownloadsPage } from './downloads-page.tsx'
import { type BuildReport, HealthPage } from './health-page.tsx'

/** Rows shown on one page. */
const MOST = parsePage({ page_size: '50' })
/** Rows of a CSV file, the newest first. */
const EXPORTED: Page = { page: 1, page_size: 5000, offset: 0 }

type Columns<Row> = Readonly<Record<string, (row: Row) => string | number | null>>

const HEALTH_COLUMNS: Columns<BuildReport> = {
  version: ({ build }) => build.version,
  os: ({ build }) => build.os,
  arch: ({ build }) => build.arch,
  channel: ({ build }) => build.channel,
  band: ({ health }) => health?.band ?? 'unrated',
  devices: ({ health }) => health?.devices ?? 0,
  boot_ok: ({ health }) => health?.boot_ok ?? 0,
  crashed: ({ health }) => health?.crashed ?? 0,
  left_out: ({ health }) => health?.left_out ?? 0,
  median_session_s: ({ health }) => health?.median_session_s ?? null,
  app: ({ build }) => build.app,
}

const CRASH_COLUMNS: Columns<CrashGroup> = {
  signature: ({ signature }) => signature,
  reason: ({ reason }) => reason,
  count: ({ count }) => count,
  devices: ({ devices }) => devices,
  first_seen_at: (group) => group.first_seen_at,
  last_seen_at: (group) => group.last_seen_at,
  versions: ({ versions }) => versions.join(' '),
}

function toLines<Row>(rows: readonly Row[], columns: Columns<Row>) {
  const read = Object.values(columns)
  return [Object.keys(columns), ...rows.map((row) => read.map((valueOf) => valueOf(row)))]
}

/** How builds start, why they crash, and who downloads them. */
export function insightRoutes(kit: HttpKit, deps: Deps, downloads: Downloads) {
  const { view } = projectPages(deps)
  async function loadHealth({ user, listing }: Project, page: Page): Promise<Paged<BuildReport>> {
    const builds = await listBuilds(deps, user, listing.uid, page)
    const health = await loadHealthOf(
      deps.db,
      builds.items.map(({ build_id }) => build_id),
    )
    const items = builds.items.map((build) => ({ build, health: health.get(build.build_id) }))
    return { ...builds, items }
  }

  const showHealth: ShowTab = async (project, state) => {
    const [reports, quota] = await Promise.all([
      loadHealth(project, parsePage(state.query)),
      loadEventQuota(deps, project.listing.uid, Date.now()),
    ])
    return <HealthPage {...{ project, state, reports, quota }} />
  }

  const showCrashes: ShowTab = async (project, state) => {
    const { user, listing } = project
    const [groups, quota] = await Promise.all([
      listCrashes(deps, user, listing.uid, undefined, parsePage(state.query)),
      loadEventQuota(deps, listing.uid, Date.now()),
    ])
    return <CrashesPage {...{ project, state, groups, quota }} />
  }

  const showCrash: ShowTab = async (project, state) => {
    const uid = state.params.crash_uid ?? ''
    const crash = await loadCrash(deps, project.user, project.listing.uid, uid)
    return <CrashPage {...{ project, state, crash }} />
  }

  const showDownloads: ShowTab = async (project, state) => {
    const { user, listing } = project
    const days = clamp(state.query.days, DAYS_DEFAULT, 1, DAYS_MAX)
    const [totals, versions, counts, moves] = await Promise.all([
      loadDownloadTotals(downloads, user, listing.uid, days),
      loadVersionCounts(downloads, user, listing.uid, days, MOST),
      loadDownloadCounts(downloads, user, listing.uid, days, parsePage(state.query)),
      listMoves(deps, user, listing.uid, MOST),
    ])
    return (
      <DownloadsPage
        {...{ project, state, days, totals, versions: versions.items, counts, moves: moves.items }}
      />
    )
  }

  return createRoutes(kit, { name: 'studio-insight', prefix: '/studio/:uid' })
    .get('/health', view(showHealth), { page: true })
    .get(
      '/health.csv',
      async ({ visit, params, set }) => {
        const project = await openProject(deps, visit, params.uid)
        const { items } = await loadHealth(project, EXPORTED)
        return sendCsv(set, `${project.listing.vanity_name}-health`, toLines(items, HEALTH_COLUMNS))
      },
      { page: true },
    )
    .get('/crashes', view(showCrashes), { page: true })
    .get(
      '/crashes.csv',
      async ({ visit, params, set }) => {
        const project = await openProject(deps, visit, params.uid)
        const { items } = await listCrashes(deps, project.user, project.listing.uid, undefined, EXPORTED)
        return sendCsv(set, `${project.listing.vanity_name}-crashes`, toLines(items, CRASH_COLUMNS))
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
        const totals = await loadDownloadTotals(downloads, project.user, project.listing.uid, days)
        return sendCsv(set, `${project.listing.vanity_name}-downloads`, downloadLines(totals))
      },
      { page: true },
    )
}
