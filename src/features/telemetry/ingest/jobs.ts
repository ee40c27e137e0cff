import { defineJob } from '../../../jobs/define.ts'

/** Creates the event partitions of the next days and drops expired ones. */
export const rotatePartitions = defineJob('ingest.partitions', { cron: '7 * * * *', maxAttempts: 3 })
