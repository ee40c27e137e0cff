import { defineJob } from '../../../jobs/define.ts'

/** Finds the listings whose stacks can be symbolicated, because symbols were uploaded. */
export const findUnsymbolicated = defineJob(
  'crashes.symbolicate',
  { cron: '* * * * *', maxAttempts: 1 },
  async ({ db }) => {
    const { queueSymbolication } = await import('./symbolicate.ts')
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
    const { symbolicateGroups } = await import('./symbolicate.ts')
    await symbolicateGroups(deps, gameUid, new Date(), signal)
  },
)

/** Deletes old reports, and kinds of crashes that have not been seen for long. */
export const sweepCrashes = defineJob(
  'crashes.sweep',
  { cron: '33 * * * *', maxAttempts: 3 },
  async (deps, _, { signal, log }) => {
    const { sweepOldCrashes } = await import('./service.ts')
    const { reports, groups } = await sweepOldCrashes(deps, new Date(), signal)
    if (reports + groups > 0) log.info('Deleted old crashes', { reports, groups })
  },
)
