import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { JOB_STATES, type JobState, listJobs as readJobs, retryJob } from '../../../jobs/queue-view.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import { REBUILD_KEY, rebuildSearch } from '../../catalog/search/jobs.ts'
import { requestReindex } from '../../catalog/search/reindex.ts'
import { recordAct } from '../audit/service.ts'
import type { Operate } from '../operate.ts'
import type { QueuedJob } from './model.ts'

/** The largest id of a job. */
const ID_MAX = 2n ** 63n - 1n

export function readJobState(text: string | null | undefined): JobState {
  return JOB_STATES.find((state) => state === text) ?? 'failed'
}

export async function listJobs({ deps }: Operate, state: JobState, page: Page): Promise<Paged<QueuedJob>> {
  const { jobs, total } = await readJobs(deps.db, state, page)
  const items = jobs.map((job) => ({
    id: job.id,
    task: job.task,
    state,
    attempts: job.attempts,
    max_attempts: job.maxAttempts,
    last_error: job.lastError,
    created_at: job.createdAt.toISOString(),
    run_at: job.runAt.toISOString(),
  }))
  return paged(page, items, total)
}

/** Starts a job over, now. */
export async function tryAgain({ deps }: Operate, operator: WebsiteUser, id: string): Promise<void> {
  if (!/^\d{1,19}$/.test(id) || BigInt(id) > ID_MAX) throw new AppError('not_found')
  await deps.db.transaction(async (tx) => {
    const task = await retryJob(tx, id)
    if (task === null) throw new AppError('not_found')
    await recordAct(tx, operator, { act: 'retry_job', subject: 'job', id, name: task })
  })
}

/** In the background; rebuilds that wait are merged. */
export async function rebuildIndex({ deps }: Operate, operator: WebsiteUser): Promise<void> {
  await deps.db.transaction(async (tx) => {
    await requestReindex(tx)
    await enqueue(tx, rebuildSearch, {}, { key: REBUILD_KEY })
    const facts = { act: 'rebuild_search', subject: 'search', id: null, name: 'Search index' } as const
    await recordAct(tx, operator, facts)
  })
}
