const BASE = 'http://site.invalid'

/** Where to go after a form: a path of this site, never another place. */
export function readNext(text: string | null, fallback = '/'): string {
  if (text === null || !text.startsWith('/') || !URL.canParse(text, BASE)) return fallback
  const { origin, pathname, search, hash } = new URL(text, BASE)
  // `/.//elsewhere` is a path here, and would be another host once it stands alone.
  return origin === BASE && !pathname.startsWith('//') ? pathname + search + hash : fallback
}

/** Added by the account library to the request of a program; it adds them again. */
const SIGNATURE = ['exp', 'sig', 'ba_iat', 'ba_param']
const AUTHORIZE = '/api/auth/oauth2/authorize'

/** Where signing in leads: on with the request of a program that asked for access, or back to where one was. */
export function readSignInTarget(query: URLSearchParams): string {
  if (query.has('next') || !query.has('client_id')) return readNext(query.get('next'))
  const asked = new URLSearchParams(query)
  for (const name of SIGNATURE) asked.delete(name)
  return `${AUTHORIZE}?${asked.toString()}`
}

/** The program's own address, for the form policy: one that has access already gets the browser back at once. */
export function formTargetsOf(target: string): string[] {
  if (!target.startsWith(`${AUTHORIZE}?`)) return []
  return originsOf(new URL(target, BASE).searchParams.get('redirect_uri'))
}

/** As a policy names it; programs on a device have a scheme of their own instead of an origin. */
export function originsOf(address: string | null): string[] {
  if (address === null || !URL.canParse(address)) return []
  const { origin, protocol } = new URL(address)
  const source = origin === 'null' ? protocol : origin
  return /^[a-z][a-z0-9+.-]*:(\/\/[\w.:[\]-]+)?$/i.test(source) ? [source] : []
}
