import { defineJob } from '../../jobs/define.ts'

/** Creates the event partitions of the next days, drops expired ones and the counts of past days. */
export const rotatePartitions = defineJob(
  'ingest.partitions',
  { cron: '7 * * * *', maxAttempts: 3 },
  async (deps, _, { log }) => {
    const { preparePartitions, dropOldPartitions } = await import('./ingest/writer.ts')
    const { forgetPastDays } = await import('./quota/service.ts')
    const now = Date.now()
    await preparePartitions(deps.db, now)
    await forgetPastDays(deps.db, now)
    const days = await dropOldPartitions(deps.db, now)
    if (days.length > 0) log.info('Deleted old events', { days })
  },
)

/** Recomputes the rating of one build from all its data. */
export const rateBuild = defineJob<{ buildUid: string }>(
  'health.judge',
  { maxAttempts: 5 },
  async (deps, { buildUid }) => {
    const { updateRating } = await import('./health/rate-build.ts')
    await updateRating(deps, buildUid, new Date())
  },
)

/** Aggregates sessions that have ended, so that their rows can be deleted. */
export const compactSessions = defineJob(
  'health.fold',
  { cron: '41 3 * * *', maxAttempts: 3 },
  async (deps, _, { signal, log }) => {
    const { compactOldSessions } = await import('./health/rate-build.ts')
    const compacted = await compactOldSessions(deps, new Date(), signal)
    if (compacted > 0) log.info('Aggregated old sessions', { compacted })
  },
)

/** Finds the listings whose stacks can be symbolicated, because symbols were uploaded. */
export const findUnsymbolicated = defineJob(
  'crashes.symbolicate',
  { cron: '* * * * *', maxAttempts: 1 },
  async ({ db }) => {
    const { queueSymbolication } = await import('./crashes/symbolicate.ts')
    await queueSymbolication(db)
  },
)

interface SymbolicateGame {
  gameUid: string
  /** The account that owns the listing. */
  ownerUid: string
}

/** Symbolicates stacks of one listing. */
export const symbolicateGame = defineJob<SymbolicateGame>(
  'crashes.symbolicate_game',
  {
    maxAttempts: 8,
    lane: 'symbols',
    ownerOf: ({ ownerUid }) => ownerUid,
  },
  async (deps, { gameUid }, { signal }) => {
    const { symbolicateGroups } = await import('./crashes/symbolicate.ts')
    await symbolicateGroups(deps, gameUid, new Date(), signal)
  },
)

/** Deletes old reports, and kinds of crashes that have not been seen for long. */
export const sweepCrashes = defineJob(
  'crashes.sweep',
  { cron: '33 * * * *', maxAttempts: 3 },
  async (deps, _, { signal, log }) => {
    const { sweepOldCrashes } = await import('./crashes/service.ts')
    const { reports, groups } = await sweepOldCrashes(deps, new Date(), signal)
    if (reports + groups > 0) log.info('Deleted old crashes', { reports, groups })
  },
)
