import { AppError } from '../errors.ts'

/** Refuses a write that was made for another state of the resource than the one there is. */
export function requireMatch(ifMatch: string | null, etag: string): void {
  if (ifMatch === null || ifMatch.trim() === '*') return
  const isCurrent = ifMatch.split(',').some((candidate) => candidate.trim() === etag)
  if (!isCurrent) throw new AppError('stale')
}
