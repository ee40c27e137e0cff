import { defineJob } from '../../../jobs/define.ts'

/** Finds the listings whose stacks can be symbolicated, because symbols were uploaded. */
export const findUnsymbolicated = defineJob('crashes.symbolicate', { cron: '* * * * *', maxAttempts: 1 })

export interface SymbolicateGame {
  gameUid: string
  /** The account that owns the listing. */
  ownerUid: string
}

/** Symbolicates stacks of one listing. */
export const symbolicateGame = defineJob<SymbolicateGame>('crashes.symbolicate_game', {
  maxAttempts: 8,
  lane: 'symbols',
  ownerOf: ({ ownerUid }) => ownerUid,
})

/** Deletes old reports, and kinds of crashes that have not been seen for long. */
export const sweepCrashes = defineJob('crashes.sweep', { cron: '33 * * * *', maxAttempts: 3 })
