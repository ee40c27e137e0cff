import type { Deps } from '../deps.ts'
import { recordCrash } from '../features/telemetry/crashes/record.ts'
import { recordLaunches } from '../features/telemetry/health/launches.ts'
import { updateRating } from '../features/telemetry/health/rate-build.ts'
import { DEMO_LISTINGS, DEMO_NAMES } from './listings/all.ts'
import { DEVELOPERS } from './people.ts'
import { lockDemo } from './queries.ts'
import { planCrashes, planLaunches } from './telemetry-data.ts'
import { listSilentBuilds } from './telemetry-queries.ts'

/**
 * Adds telemetry for the demo builds, so that health, shelves and crashes are not empty. Can be run again to
 * add missing data. Returns the number of builds with new telemetry.
 */
export async function loadDemoTelemetry(deps: Deps): Promise<number> {
  const now = new Date()
  const heard = await deps.db.transaction(async (tx) => {
    await lockDemo(tx)
    const plans = (await listSilentBuilds(tx, DEMO_NAMES)).flatMap((build) => {
      const listing = DEMO_LISTINGS.find(({ vanityName }) => vanityName === build.vanityName)
      if (!listing || DEVELOPERS[listing.by].email !== build.email) return []
      const launches = planLaunches(listing, build, now)
      return launches.length > 0 ? [{ build, listing, launches }] : []
    })
    const launches = plans.flatMap((plan) => plan.launches)
    if (launches.length > 0) await recordLaunches(tx, launches, now.getTime())
    return plans
  })
  for (const { build, listing } of heard) {
    // Each report is recorded with the time it happened.
    for (const report of planCrashes(listing, build, now)) {
      await recordCrash(
        { db: deps.db, quota: null },
        { ...build, network: null },
        report,
        Date.parse(report.at),
      )
    }
    await updateRating(deps, build.buildUid, now)
  }
  return heard.length
}
