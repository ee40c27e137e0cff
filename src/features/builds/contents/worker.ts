import { handleJob } from '../../../jobs/handler.ts'
import { recordContents } from './jobs.ts'
import { recordDocument, recordPlaces } from './record.ts'

export const contentsHandlers = [
  handleJob(recordContents, async (deps, { fileUid }, { signal }) => {
    await recordPlaces(deps, fileUid, signal)
    await recordDocument(deps, fileUid)
  }),
]
