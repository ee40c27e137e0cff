import { defineJob } from '../../../jobs/define.ts'

export interface ScanFile {
  fileUid: string
  /** The account that owns the listing. */
  ownerUid: string
  /** The ISO time since when the scanner or the object store has been unreachable. */
  waitingSince?: string
  /** An operator asked for another scan of a clean file: channels stay where they are. */
  isRepeat?: boolean
}

/** Only crashed workers use up attempts; while a service is unreachable the job is enqueued again. */
export const scanFile = defineJob<ScanFile>('scans.run', {
  maxAttempts: 25,
  lane: 'scans',
  ownerOf: ({ ownerUid }) => ownerUid,
})
