import { handleJob } from '../../../jobs/handler.ts'
import { fillShelves } from './jobs.ts'
import { refreshShelves } from './refresh.ts'

export const shelfHandlers = [handleJob(fillShelves, async (deps) => await refreshShelves(deps, new Date()))]
