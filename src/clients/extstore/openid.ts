import { accountIdOf, noResponse } from './request.ts'

const NAMESPACE = 'http://specs.openid.net/auth/2.0'
const ANYONE = `${NAMESPACE}/identifier_select`
const NONCE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)[\x21-\x7e]{1,200}$/
const NONCE_MAX_AGE_MS = 5 * 60 * 1000
/** The fields we rely on, which must all be covered by the store's signature. */
const SIGNED = ['op_endpoint', 'claimed_id', 'identity', 'return_to', 'response_nonce', 'assoc_handle']

interface Claim {
  extstoreId: string
  nonce: string
}

interface Expected {
  endpoint: string
  returnTo: string
  now: number
}

export function signInUrl(endpoint: string, ask: { returnTo: string; realm: string }): string {
  const query = new URLSearchParams({
    'openid.ns': NAMESPACE,
    'openid.mode': 'checkid_setup',
    'openid.return_to': ask.returnTo,
    'openid.realm': ask.realm,
    'openid.identity': ANYONE,
    'openid.claimed_id': ANYONE,
  })
  return `${endpoint}?${query.toString()}`
}

/** Checks everything that does not require a request to the store; returns null if a check fails. */
export function parseAssertion(
  assertion: URLSearchParams,
  { endpoint, returnTo, now }: Expected,
): Claim | null {
  const field = (name: string) => parseOnce(assertion, `openid.${name}`)
  const signed = field('signed')?.split(',') ?? []
  const claimedId = field('claimed_id')
  const nonce = field('response_nonce')
  const fits =
    field('ns') === NAMESPACE &&
    field('mode') === 'id_res' &&
    field('op_endpoint') === endpoint &&
    field('return_to') === returnTo &&
    field('identity') === claimedId &&
    SIGNED.every((name) => signed.includes(name))
  if (!fits || claimedId === null || nonce === null || !isFresh(nonce, now)) return null
  const base = new URL('id/', endpoint).href
  const extstoreId = claimedId.startsWith(base) ? accountIdOf(claimedId.slice(base.length)) : null
  return extstoreId === null ? null : { extstoreId, nonce }
}

/** Sends the same fields back to the store, which confirms whether it signed them. */
export function toCheck(assertion: URLSearchParams): Record<string, string> {
  const fields = [...assertion].filter(([name]) => name.startsWith('openid.'))
  return { ...Object.fromEntries(fields), 'openid.mode': 'check_authentication' }
}

/** The response consists of `key:value` lines. */
export function isConfirmed(answer: string): boolean {
  const verdict = /^is_valid:(true|false)\s*$/m.exec(answer)?.[1]
  if (verdict === undefined) throw noResponse('The external store did not judge the sign-in')
  return verdict === 'true'
}

/** Rejects repeated fields, because we and the store might read different values. */
function parseOnce(params: URLSearchParams, name: string): string | null {
  const values = params.getAll(name)
  return values.length === 1 ? (values[0] ?? null) : null
}

function isFresh(nonce: string, now: number): boolean {
  const madeAt = Date.parse(NONCE.exec(nonce)?.[1] ?? '')
  return Math.abs(now - madeAt) <= NONCE_MAX_AGE_MS
}
