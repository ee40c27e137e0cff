import { handleJob } from '../../../jobs/handler.ts'
import { recordContents } from './jobs.ts'
import { recordPlaces } from './record.ts'

export const contentsHandlers = [
  handleJob(recordContents, (deps, { fileUid }, { signal }) => recordPlaces(deps, fileUid, signal)),
]
