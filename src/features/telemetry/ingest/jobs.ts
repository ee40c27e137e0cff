import { defineJob } from '../../../jobs/define.ts'

/** Makes room for the events of the next days and forgets those that are too old. */
export const turnPartitions = defineJob('ingest.partitions', { cron: '7 * * * *', maxAttempts: 3 })
