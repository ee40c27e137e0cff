import { runProbe } from '../../../clients/probe.ts'
import { readSearchLag } from '../../../clients/search/search-lag.ts'
import { readTaskStates } from '../../../jobs/queue-view.ts'
import { memoize } from '../../../lib/flow/memoize.ts'
import { VERSION } from '../../../lib/version.ts'
import type { Operate } from '../operate.ts'
import { countWaiting } from '../publications/service.ts'
import { RECENT_MINUTES } from '../recent-requests.ts'
import { countOpenReports } from '../reports/service.ts'
import type { Status } from './model.ts'
import * as queries from './queries.ts'

/** Sums over whole tables are shared for this long, however often the page is loaded. */
const SUMS_MS = 30_000
const MINUTE_MS = 60_000

export type ReadStatus = () => Promise<Status>

export function createStatusReader({ deps, recent }: Operate): ReadStatus {
  const { db, config, probes } = deps
  const engine = config.meili ? 'meilisearch' : 'postgres'
  const readSums = memoize(SUMS_MS, async () => ({
    storage: await queries.sumStorage(db),
    search: await queries.countSearch(db),
  }))

  function readRequests(): Status['requests'] {
    const facts = recent.read()
    const passed = (Date.now() - Date.parse(facts.since)) / MINUTE_MS
    const minutes = Math.min(RECENT_MINUTES, Math.max(1, passed))
    return { ...facts, per_minute: Math.round((facts.total / minutes) * 10) / 10 }
  }

  return async () => {
    const [services, queues, scans, oldest, sums, lag, openReports, waitingPublications] = await Promise.all([
      Promise.all(probes.map(runProbe)),
      readTaskStates(db),
      queries.countScans(db),
      queries.findOldestScan(db),
      readSums(),
      readSearchLag(db, engine),
      countOpenReports(db),
      countWaiting(db),
    ])
    return {
      version: VERSION,
      services,
      queues,
      scans: {
        running: scans,
        oldest: oldest
          ? {
              file_uid: oldest.uid,
              filename: oldest.filename,
              listing_uid: oldest.gameUid,
              since: oldest.since.toISOString(),
            }
          : null,
      },
      storage: sums.storage,
      search: { engine, ...sums.search, lag_seconds: Math.round(lag * 10) / 10 },
      open_reports: openReports,
      waiting_publications: waitingPublications,
      requests: readRequests(),
    }
  }
}
