import { AppError } from '../../errors.ts'

/** Rejects a write that was based on another version of the resource. */
export function requireMatch(ifMatch: string | null, etag: string): void {
  if (ifMatch === null || ifMatch.trim() === '*') return
  const isCurrent = ifMatch.split(',').some((candidate) => candidate.trim() === etag)
  if (!isCurrent) throw new AppError('stale')
}
