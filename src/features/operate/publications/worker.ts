import { handleJob } from '../../../jobs/handler.ts'
import { announceWaiting } from '../../listings/page/jobs.ts'
import { announcePublications } from './announce.ts'

export const publicationHandlers = [handleJob(announceWaiting, announcePublications)]
