import type { DownloadSource } from '../../../domain/builds/files.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import type { DownloadLog } from './log.ts'
import type { Visit } from './visit.ts'

export interface Attempt {
  source: DownloadSource
  fileUid: string
  visit: Visit
}

const DONE = 200

/** Records the attempt, whether it returned a link or was refused. */
export async function recordAttempt<Result>(
  log: DownloadLog,
  attempt: Attempt,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    const result = await work()
    log.add(describeAttempt(attempt, DONE))
    return result
  } catch (error) {
    log.add(describeAttempt(attempt, (error instanceof AppError ? error : new AppError('internal')).code))
    throw error
  }
}

export function describeAttempt({ source, fileUid, visit }: Attempt, outcome: number) {
  return { at: new Date(), fileUid: isUid(fileUid) ? fileUid : null, source, ...visit, outcome }
}
