const BASE = 'http://site.invalid'

/** Where to go after a form: a path of this site, never another place. */
export function readNext(text: string | null, fallback = '/'): string {
  if (text === null || !text.startsWith('/') || !URL.canParse(text, BASE)) return fallback
  const { origin, pathname, search, hash } = new URL(text, BASE)
  return origin === BASE ? pathname + search + hash : fallback
}
