import { type AppError, invalidField, invalidFields, issueAt } from '../../../errors.ts'
import { appIdOfLink } from '../../listings/store-links/stores.ts'
import { readWebApiKey } from '../link/service.ts'
import { type Group, GROUPS } from './model.ts'

const APP_ID = /^\d{1,10}$/
const APP_ID_MAX = 2 ** 32 - 1
/** Each may be named more than once. */
const GROUPS_MAX = 50

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
  const known = GROUPS.join(', ')
  const named: unknown[] = Array.isArray(given) ? given : []
  if (named.length === 0) throw invalid('groups', `must be a list of at least one of ${known}.`)
  const groups = named.slice(0, GROUPS_MAX).map((name) => GROUPS.find((group) => group === name) ?? null)
  const issues = groups.flatMap((group, index) =>
    group === null ? [issueAt(`groups.${index}`, `must be one of ${known}.`)] : [],
  )
  if (named.length > GROUPS_MAX) issues.push(issueAt('groups', `must have at most ${GROUPS_MAX} entries.`))
  if (issues.length > 0) throw invalidFields(issues, { kind: 'store_input_invalid' })
  return new Set(groups.filter((group) => group !== null))
}

export function invalid(field: string, fault: string): AppError {
  return invalidField(field, fault, { kind: 'store_input_invalid' })
}
