import { defineJob } from '../../../jobs/define.ts'

/** Creates the event partitions of the next days, drops expired ones and the counts of past days. */
export const rotatePartitions = defineJob('ingest.partitions', { cron: '7 * * * *', maxAttempts: 3 })
