import { runProbe } from '../../../clients/probe.ts'
import { loadSearchLag } from '../../../clients/search/search-lag.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import {
  JOB_STATES,
  type JobState,
  listJobs as readJobs,
  listTaskStates,
  retryJob,
} from '../../../jobs/queue-view.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { memoize } from '../../../lib/flow/memoize.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import { VERSION } from '../../../lib/version.ts'
import { recordAct } from '../../audit/service.ts'
import { REBUILD_KEY, rebuildSearch } from '../../catalog/search/jobs.ts'
import { requestReindex } from '../../catalog/search/reindex.ts'
import { countOpenReports, countWaiting } from '../moderation/service.ts'
import { QueuedJob, type Status } from './model.ts'
import * as queries from './queries.ts'
import { RECENT_MINUTES, type RecentRequests } from './recent-requests.ts'

/** Sums over whole tables are expensive, so they are cached this long. */
const SUMS_MS = 30_000
const MINUTE_MS = 60_000

export function createStatusReader(deps: Deps, recent: RecentRequests): () => Promise<Status> {
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
      listTaskStates(db),
      queries.countScans(db),
      queries.findOldestScan(db),
      readSums(),
      loadSearchLag(db, engine),
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

/** The largest id of a job. */
const ID_MAX = 2n ** 63n - 1n

export function parseJobState(text: string | null | undefined): JobState {
  return JOB_STATES.find((state) => state === text) ?? 'failed'
}

export async function listJobs(deps: Deps, state: JobState, page: Page): Promise<Paged<QueuedJob>> {
  const { jobs, total } = await readJobs(deps.db, state, page)
  const items = jobs.map((job) => respond(QueuedJob, { ...job, state }))
  return paged(page, items, total)
}

/** Retries a failed job from its first attempt, or starts a waiting one now. */
export async function tryAgain(deps: Deps, operator: WebsiteUser, id: string): Promise<void> {
  if (!/^\d{1,19}$/.test(id) || BigInt(id) > ID_MAX) throw new AppError('not_found')
  await deps.db.transaction(async (tx) => {
    const task = await retryJob(tx, id)
    if (task === null) throw new AppError('not_found')
    await recordAct(tx, operator, { act: 'retry_job', subject: 'job', id, name: task })
  })
}

/** Enqueues a rebuild; pending rebuilds are merged into one. */
export async function rebuildIndex(deps: Deps, operator: WebsiteUser): Promise<void> {
  await deps.db.transaction(async (tx) => {
    await requestReindex(tx)
    await enqueue(tx, rebuildSearch, {}, { key: REBUILD_KEY })
    const facts = { act: 'rebuild_search', subject: 'search', id: null, name: 'Search index' } as const
    await recordAct(tx, operator, facts)
  })
}
