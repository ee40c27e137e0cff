import { compareVersionTexts } from '../../../lib/text/version-order.ts'

interface Dated {
  uid: string
  version: string
  createdAt: Date
}

/** By semantic version, which is newer than any other text; equal ones by the time of registration. */
export function isNewer(build: Dated, than: Dated): boolean {
  const order = compareVersionTexts(build.version, than.version)
  if (order !== 0) return order > 0
  const later = build.createdAt.getTime() - than.createdAt.getTime()
  return later === 0 ? build.uid > than.uid : later > 0
}

/** The newest candidate that is not newer than this build. */
export function newestBefore<Candidate extends Dated>(
  build: Dated,
  candidates: readonly Candidate[],
): Candidate | undefined {
  return candidates
    .filter((candidate) => !isNewer(candidate, build))
    .reduce<Candidate | undefined>((best, next) => (best && !isNewer(next, best) ? best : next), undefined)
}
