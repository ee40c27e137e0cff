import { defineJob } from '../../../jobs/define.ts'

export interface ScanFile {
  fileUid: string
  /** Since when the scanner or the object store could not be reached; an ISO time. */
  waitingSince?: string
}

/** Attempts are only used up by workers that die: what can be waited for is enqueued anew. */
export const scanFile = defineJob<ScanFile>('scans.run', { maxAttempts: 25, isLong: true })
