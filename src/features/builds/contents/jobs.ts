import { defineJob } from '../../../jobs/define.ts'

interface RecordContents {
  fileUid: string
  /** The listing, so that many old files of one do not hold up those of others. */
  gameUid: string
}

/** Records where the entries of a zip lie, for files scanned before that was recorded. */
export const recordContents = defineJob<RecordContents>(
  'contents.record',
  {
    maxAttempts: 3,
    lane: 'long',
    ownerOf: ({ gameUid }) => gameUid,
  },
  async (deps, { fileUid }, { signal }) => {
    const { recordPlaces, recordDocument } = await import('./record.ts')
    await recordPlaces(deps, fileUid, signal)
    await recordDocument(deps, fileUid)
  },
)
