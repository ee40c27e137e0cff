import type { Anonymous, WebsiteUser } from '../domain/actor.ts'
import type { OperatingSystem } from '../domain/builds/platforms.ts'
import { type Followed, NOTHING_FOLLOWED } from '../domain/follows.ts'
import type { Storefront } from '../domain/storefront.ts'
import { parseUrl } from '../lib/net/requests.ts'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]
export const THEME_COOKIE = 'playshelf.theme'
/** The id of the announcement that the visitor dismissed. */
export const DISMISSED_COOKIE = 'playshelf.dismissed'

/** The facts about a request that every page needs. */
export interface Visit<A extends Anonymous | WebsiteUser = Anonymous | WebsiteUser> {
  request: Request
  /** Path and query, as requested. */
  url: URL
  actor: A
  theme: Theme
  /** The visitor's system from the user agent; null if it is unknown. */
  os: OperatingSystem | null
  /** How the store presents itself, without an announcement that the visitor dismissed. */
  store: Storefront
  /** What the visitor follows; nothing for guests. */
  followed: Followed
  /** Whether the store has a public jam. */
  hasJams: boolean
  /** How many notices the visitor has not read; 0 for guests. */
  unread: number
}

export function readVisit<A extends Anonymous | WebsiteUser>(
  request: Request,
  actor: A,
  store: Storefront,
  {
    followed = NOTHING_FOLLOWED,
    hasJams = false,
    unread = 0,
  }: Partial<Pick<Visit, 'followed' | 'hasJams' | 'unread'>> = {},
): Visit<A> {
  const cookies = new Bun.CookieMap(request.headers.get('cookie') ?? '')
  const theme = cookies.get(THEME_COOKIE)
  return {
    request,
    url: parseUrl(request.url),
    actor,
    theme: THEMES.find((known) => known === theme) ?? 'system',
    os: parseSystem(request.headers.get('user-agent') ?? ''),
    followed,
    hasJams,
    unread,
    store: cookies.get(DISMISSED_COOKIE) === store.announcement?.id ? withoutAnnouncement(store) : store,
  }
}

const dismissed = new WeakMap<Storefront, Storefront>()

/** Always the same object for one storefront, because cached pages are told apart by it. */
function withoutAnnouncement(store: Storefront): Storefront {
  if (store.announcement === null) return store
  const known = dismissed.get(store) ?? { ...store, announcement: null }
  dismissed.set(store, known)
  return known
}

/**
 * The visit as if the page's own address had been requested. Pages that are rendered once for all guests depend on
 * the address, so that parameters they do not read must not be part of it.
 */
export function atAddress<A extends Anonymous | WebsiteUser>(visit: Visit<A>, address: string): Visit<A> {
  return { ...visit, url: new URL(address, visit.url) }
}

/** The order matters: Android browsers also say Linux, and Apple's phones also say Mac. */
const SYSTEM_MARKS: readonly [mark: RegExp, os: OperatingSystem][] = [
  [/Android/, 'android'],
  [/iPhone|iPad|iPod/, 'ios'],
  [/Windows/, 'windows'],
  [/Macintosh|Mac OS/, 'macos'],
  [/Linux|X11|CrOS/, 'linux'],
]

function parseSystem(userAgent: string): OperatingSystem | null {
  return SYSTEM_MARKS.find(([mark]) => mark.test(userAgent))?.[1] ?? null
}
