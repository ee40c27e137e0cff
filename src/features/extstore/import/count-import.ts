import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { countRequest } from '../../../http/limits.ts'
import type { CountImport } from './store-page.ts'

/** Imports and resyncs share the account's limit; only those that reached the store count. */
export function countImport(
  deps: Deps,
  { userUid }: WebsiteUser,
  headers: Record<string, string | number>,
): CountImport {
  return async () => await countRequest(deps.rates, ['import'], () => userUid, headers)
}
