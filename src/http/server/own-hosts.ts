import { isLoopbackHost } from '../../lib/net/addresses.ts'

interface OwnAddresses {
  baseUrl: string
  uploadUrl: string
  mcpAuthUrl: string
}

/**
 * A page was opened under a host name where signing in and playing fail. Sent as a redirect, or as a page
 * that explains it.
 */
export class OtherHost extends Error {
  override readonly name = 'OtherHost'

  constructor(
    /** The origin in the browser's address bar; null if the Host header is none. */
    readonly opened: string | null,
    /** Whether the store's own address leads to the same machine. */
    readonly isSameMachine: boolean,
  ) {
    super(`Opened as ${opened ?? 'an unknown host'}`)
  }
}

/** Headers that only a proxy sets. */
const FORWARDED = ['x-forwarded-for', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via']
/** What people type for "every address of this machine", because programs print it. */
const ANY_ADDRESS = new Set(['0.0.0.0', '[::]'])
/**
 * IP addresses, and names without a dot. No certificate covers these, so behind a proxy the proxy has set
 * such a Host.
 */
const INSIDE = /^(?:[^.]+|[\d.]+|\[.*\])$/

/**
 * Returns what is wrong with the host that a page was opened by; null if nothing is. Ports of the same name are ignored,
 * because a proxy may listen on another one.
 */
export function createHostCheck({ baseUrl, uploadUrl, mcpAuthUrl }: OwnAddresses) {
  const base = new URL(baseUrl)
  const isLocal = isThisMachine(base.hostname)
  const own = new Set([baseUrl, uploadUrl, mcpAuthUrl].map((url) => new URL(url).hostname))

  return (headers: Headers): OtherHost | null => {
    const host = headers.get('host')
    if (host === null) return null
    const opened = URL.parse(`${base.protocol}//${host.replace(/\.(?=:|$)/, '')}`)
    if (opened === null || opened.pathname !== '/') return new OtherHost(null, false)
    if (own.has(opened.hostname)) return null
    const forwarded = headers.get('x-forwarded-host')?.split(':', 1)[0]?.toLowerCase()
    if (forwarded !== undefined && own.has(forwarded)) return null
    if (INSIDE.test(opened.hostname) && FORWARDED.some((name) => headers.has(name))) return null
    if (!isThisMachine(opened.hostname)) return new OtherHost(opened.origin, false)
    // A proxy on this machine, if it does not pass on the host.
    return isLocal ? new OtherHost(opened.origin, opened.port === base.port) : null
  }
}

function isThisMachine(hostname: string): boolean {
  return isLoopbackHost(hostname) || ANY_ADDRESS.has(hostname)
}

const READING = new Set(['GET', 'HEAD'])
/** `none` stands for addresses that a person typed or opened from a mail program. */
const OWN = new Set(['same-origin', 'none'])

/**
 * Whether a page of another website made the browser send this. Browsers say so in a header, other programs
 * send none. A link that a person follows does not count.
 */
export function isFromOtherSite({ method, headers }: Request, ownOrigins: readonly string[]): boolean {
  const isReading = READING.has(method)
  const site = headers.get('sec-fetch-site')
  if (site !== null && !OWN.has(site)) return !(isReading && headers.get('sec-fetch-dest') === 'document')
  const origin = headers.get('origin')
  return !isReading && origin !== null && /^https?:/i.test(origin) && !ownOrigins.includes(origin)
}
