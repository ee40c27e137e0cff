import { countRequest } from '../../../clients/rate-store/count-request.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import type { LimitName } from '../../../domain/limit-table.ts'

/** Each throws when there were too many. */
export interface ImportCounts {
  /** Before the store is asked, for a well-formed request. */
  asks(): Promise<void>
  /** Once the store has responded. */
  reached(): Promise<void>
}

type HeaderSink = Record<string, string | number>

export function countPreview(deps: Deps, user: WebsiteUser, headers: HeaderSink): ImportCounts {
  return { asks: () => count(deps, user, 'import_preview', headers), reached: async () => undefined }
}

/** Imports and resyncs share the account's limits. */
export function countImport(deps: Deps, user: WebsiteUser, headers: HeaderSink): ImportCounts {
  return {
    asks: () => count(deps, user, 'import_attempt', headers),
    reached: () => count(deps, user, 'import', headers),
  }
}

async function count(
  deps: Deps,
  { userUid }: WebsiteUser,
  row: LimitName,
  headers: HeaderSink,
): Promise<void> {
  await countRequest(deps.rates, [row], () => userUid, headers)
}
