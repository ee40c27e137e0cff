import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { listSessions as listRows } from '../personal-data/personal-data-queries.ts'

export interface SessionFacts {
  uid: string
  isCurrent: boolean
  /** Browser and system, as far as they say who they are. */
  browser: string
  address: string
  since: string
}

/** The current session first, then the newest. */
export async function listSessions(deps: Deps, user: WebsiteUser): Promise<SessionFacts[]> {
  const now = new Date()
  const rows = (await listRows(deps.db, user.userUid)).filter(({ expiresAt }) => expiresAt > now)
  return rows
    .toReversed()
    .map((row) => ({
      uid: row.id,
      isCurrent: row.id === user.sessionUid,
      browser: nameBrowser(row.userAgent ?? ''),
      address: row.ipAddress ?? '',
      since: row.createdAt.toISOString(),
    }))
    .toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent))
}

/** The order matters: most browsers also send the names of browsers they descend from. */
const BROWSERS: readonly [mark: RegExp, name: string][] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const SYSTEMS: readonly [mark: RegExp, name: string][] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Macintosh/, 'macOS'],
  [/Linux|X11/, 'Linux'],
]

export function nameBrowser(userAgent: string): string {
  const find = (list: typeof BROWSERS) => list.find(([mark]) => mark.test(userAgent))?.[1]
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)]
  if (browser === undefined) return system ?? 'A program or an unknown browser'
  return system === undefined ? browser : `${browser} on ${system}`
}
