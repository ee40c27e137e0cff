import { defineJob } from '../../../jobs/define.ts'

export interface ScanFile {
  fileUid: string
  /** The ISO time since when the scanner or the object store has been unreachable. */
  waitingSince?: string
}

/** Only crashed workers use up attempts; while a service is unreachable the job is enqueued again. */
export const scanFile = defineJob<ScanFile>('scans.run', { maxAttempts: 25, isLong: true })
