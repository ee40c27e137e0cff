import { AppError } from '../../errors.ts'

/** Whether the client already has this version, so that 304 without a body suffices. */
export function isNotModified({ headers }: Request, etag: string): boolean {
  const known = headers.get('if-none-match')
  return known !== null && lists(known, etag, (tag) => tag.replace(/^W\//, ''))
}

/** Rejects a write that was based on another version of the resource. */
function requireMatch({ headers }: Request, etag: string): void {
  const base = headers.get('if-match')
  if (base !== null && !lists(base, etag)) throw new AppError('stale')
}

export function etagOfRevision(revision: number): string {
  return `"${revision}"`
}

/** For services: refuses a write that was based on another revision. */
export function revisionCheck(request: Request): (revision: number) => void {
  return (revision) => requireMatch(request, etagOfRevision(revision))
}

function lists(header: string, etag: string, normalise = (tag: string) => tag): boolean {
  if (header.trim() === '*') return true
  return header.split(',').some((tag) => normalise(tag.trim()) === etag)
}
