import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import type { HealthBand } from '../../../domain/builds/health.ts'
import type { Build } from '../../../features/builds/registry/model.ts'
import { loadNewestBuilds } from '../../../features/builds/registry/service.ts'
import type { LintReport } from '../../../features/listings/check/model.ts'
import { loadReportsOf } from '../../../features/listings/check/service.ts'
import type { ListingSummary } from '../../../features/listings/page/model.ts'
import { listListings } from '../../../features/listings/page/service.ts'
import { loadBandsOf } from '../../../features/telemetry/health/service.ts'
import type { Page, Paged } from '../../../lib/paging.ts'

/** A row of the list of projects. */
export interface ProjectSummary {
  listing: ListingSummary
  report: LintReport | undefined
  newestBuild: Build | undefined
  band: HealthBand
}

export async function listProjects(
  deps: Deps,
  user: WebsiteUser,
  page: Page,
): Promise<Paged<ProjectSummary>> {
  const listings = await listListings(deps, user, page)
  const uids = listings.items.map(({ uid }) => uid)
  const [reports, builds, bands] = await Promise.all([
    loadReportsOf(deps.db, uids),
    loadNewestBuilds(deps.db, uids),
    loadBandsOf(deps.db, uids),
  ])
  const items = listings.items.map((listing) => ({
    listing,
    report: reports.get(listing.uid),
    newestBuild: builds.get(listing.uid),
    band: bands.get(listing.uid) ?? 'unrated',
  }))
  return { ...listings, items }
}
