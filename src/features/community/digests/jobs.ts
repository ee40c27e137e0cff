import { defineJob, handleJob } from '../../../jobs/define.ts'
import { DAY_MS } from '../../../lib/time.ts'
import { mailAtOnce } from '../../games/jobs.ts'

/** Records digests that are due. The mails are sent by further jobs, so that a slow mail server delays only those. */
export const recordDigests = defineJob(
  'digests.record',
  { queue: 'digests.record', cron: '* * * * *', maxAttempts: 3, lane: 'long' },
  async (deps, _, { signal, log }) => {
    const { recordDueDigests } = await import('./due.ts')
    const recorded = await recordDueDigests(deps, signal)
    if (recorded > 0) log.info('Recorded digests', { recorded })
  },
)

/** Gives accounts that never changed a setting a time for their next digest. */
export const scheduleDigests = defineJob(
  'digests.schedule',
  { queue: 'digests.record', cron: '11 * * * *', maxAttempts: 3, lane: 'long' },
  async (deps, _, { signal }) => {
    const due = await import('./due.ts')
    await due.scheduleDigests(deps, signal)
  },
)

/** Mails that one job sends. */
export const MAILS_PER_JOB = 200

interface Mails {
  uids: readonly string[]
}

/** All have one owner, so that they never take the whole lane: the mails that people wait for have the other slot. */
const sending = { maxAttempts: 10, lane: 'mail', ownerOf: () => 'notices' } as const

export const sendDigests = defineJob<Mails>('digests.send', sending, async (deps, { uids }, context) => {
  const { sendDigestMails } = await import('./send.ts')
  await sendDigestMails(deps, uids, context)
})

export const sendAtOnce = defineJob<Mails>('notices.send', sending, async (deps, { uids }, context) => {
  const { sendAtOnceMails } = await import('./send.ts')
  await sendAtOnceMails(deps, uids, context)
})

const KEPT_DAYS = 90
const BATCH = 1000

/** Deletes what was mailed long ago. */
export const sweepMails = defineJob(
  'digests.sweep',
  { cron: '23 4 * * *', maxAttempts: 3 },
  async (deps, _, { signal }) => {
    const { deleteInBatches } = await import('../../../db/client.ts')
    const { deleteOldMails } = await import('./mail-queries.ts')
    const before = new Date(Date.now() - KEPT_DAYS * DAY_MS)
    await deleteInBatches(BATCH, (limit) => deleteOldMails(deps.db, before, limit), signal)
  },
)

export const digestHandlers = [
  handleJob(mailAtOnce, async (deps, walk) => {
    const { recordAtOnce } = await import('./at-once.ts')
    await recordAtOnce(deps, walk)
  }),
]
