import type { Deps } from '../../deps.ts'
import { findProgram } from '../../features/accounts/service.ts'
import { readLocalPath } from '../../lib/net/urls.ts'

const BASE = 'http://site.invalid'

/** The path to go to after a form: always on this site, never on another host. */
export function readNext(text: string | null, fallback = '/'): string {
  return readLocalPath(text ?? '') ?? fallback
}

const GET_PATH = /^\/games\/[^/?#]+\/get$/

/** Where a guest's Get is finished after the sign-in. */
export function getPath(vanityName: string): string {
  return `/games/${vanityName}/get`
}

/** Whether a sign-in ends with a game in the library. */
export function leadsToGet(next: string): boolean {
  return GET_PATH.test(next)
}

/** Parameters that the account library adds to a program's request. Removed, because it adds them again. */
const SIGNATURE = ['exp', 'sig', 'ba_iat', 'ba_param']
const AUTHORIZE = '/api/auth/oauth2/authorize'

/** Where a sign-in leads: to the request of a program that asked for access, or back to the previous page. */
export function readSignInTarget(query: URLSearchParams): string {
  if (query.has('next') || !query.has('client_id')) return readNext(query.get('next'))
  const asked = new URLSearchParams(query)
  for (const name of SIGNATURE) asked.delete(name)
  return `${AUTHORIZE}?${asked.toString()}`
}

/**
 * The program's own address, for the form policy: if it already has access, the browser is redirected to it
 * at once. Only an address that the program has registered.
 */
export async function formTargetsOf(deps: Deps, target: string): Promise<string[]> {
  if (!target.startsWith(`${AUTHORIZE}?`)) return []
  const asked = new URL(target, BASE).searchParams
  const redirect = asked.get('redirect_uri') ?? ''
  const isKnown = (await findProgram(deps, asked.get('client_id') ?? '', redirect)) !== null
  return isKnown ? originsOf(redirect) : []
}

/** An address as a source of the form policy: its origin, or its scheme for programs that have one of their own. */
export function originsOf(address: string | null): string[] {
  if (address === null || !URL.canParse(address)) return []
  const { origin, protocol } = new URL(address)
  const source = origin === 'null' ? protocol : origin
  return /^[a-z][a-z0-9+.-]*:(\/\/[\w.:[\]-]+)?$/i.test(source) ? [source] : []
}
