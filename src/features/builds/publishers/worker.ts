import { handleJob } from '../../../jobs/handler.ts'
import { sweepPublisherKeys } from './jobs.ts'
import { deleteEndedKeys, deleteEndedTokens } from './queries.ts'

/** Longer than an upload session, which such a key may finish. */
const KEPT_MS = 24 * 60 * 60 * 1000

export const publisherHandlers = [
  handleJob(sweepPublisherKeys, async ({ db }) => {
    const now = Date.now()
    await deleteEndedTokens(db, new Date(now))
    await deleteEndedKeys(db, new Date(now - KEPT_MS))
  }),
]
