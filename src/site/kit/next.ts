import type { Deps } from '../../deps.ts'
import { findProgram } from '../../features/accounts/oauth/programs.ts'
import { parseLocalPath } from '../../lib/net/urls.ts'

const BASE = 'http://site.invalid'

/** The path to go to after a form: always on this site, never on another host. */
export function parseNext(text: string | null, fallback = '/'): string {
  return parseLocalPath(text ?? '') ?? fallback
}

/** Where people turn adult content on. Saving it leads on to `next`; guests sign in on the way. */
export function adultChoicePath(next: string, isSignedIn: boolean): string {
  const path = `/account/privacy?next=${encodeURIComponent(next)}`
  return isSignedIn ? `${path}#privacy` : `/sign-in?next=${encodeURIComponent(path)}`
}

const GET_PATH = /^\/games\/[^/?#]+\/get$/

/** The path that adds the game to the library after a guest who pressed Get has signed in. */
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
export function parseSignInTarget(query: URLSearchParams): string {
  if (query.has('next') || !query.has('client_id')) return parseNext(query.get('next'))
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

/** The address as a source of the form policy: its origin, or its scheme if the program has its own. */
export function originsOf(address: string | null): string[] {
  if (address === null || !URL.canParse(address)) return []
  const { origin, protocol } = new URL(address)
  const source = origin === 'null' ? protocol : origin
  return /^[a-z][a-z0-9+.-]*:(\/\/[\w.:[\]-]+)?$/i.test(source) ? [source] : []
}
