import { type AppError, invalidField } from '../../../errors.ts'
import { appIdOfLink } from '../../listings/store-links/stores.ts'
import { readWebApiKey } from '../link/service.ts'
import { type Group, GROUPS } from './model.ts'

const APP_ID = /^\d{1,10}$/
const APP_ID_MAX = 2 ** 32 - 1

/** Accepts digits, a number, or the URL of the store page. */
export function readAppId(given: unknown): number {
  const text = typeof given === 'number' ? String(given) : typeof given === 'string' ? given.trim() : ''
  const appId = APP_ID.test(text) ? Number(text) : appIdOfLink(text)
  if (appId !== null && appId > 0 && appId <= APP_ID_MAX) return appId
  throw invalid(
    'app_id',
    'must be the number of an app at the external store, or the link of its store page.',
  )
}

/** null if none was sent. */
export function readOptionalWebApiKey(given: unknown): string | null {
  return given === undefined || given === null || given === '' ? null : readWebApiKey(given)
}

/** All groups by default. */
export function readGroups(given: unknown): ReadonlySet<Group> {
  if (given === undefined || given === null) return new Set(GROUPS)
  const named: unknown[] = Array.isArray(given) ? given : []
  const groups = named.flatMap((name) => GROUPS.find((known) => known === name) ?? [])
  if (groups.length > 0 && groups.length === named.length) return new Set(groups)
  throw invalid('groups', `must name at least one of ${GROUPS.join(', ')}, and nothing else.`)
}

export function invalid(field: string, fault: string): AppError {
  return invalidField(field, fault, { kind: 'store_input_invalid' })
}
