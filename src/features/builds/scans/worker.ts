import { handleJob } from '../../../jobs/handler.ts'
import { scanFile } from './jobs.ts'
import { runScan } from './run.ts'

export const scanHandlers = [handleJob(scanFile, runScan)]
