import { isIP } from 'node:net'

/**
 * The address of the client. With `trustProxy` proxies in front, that many last entries of X-Forwarded-For
 * were written by them; anything before is the client's own claim.
 */
export function parseClientAddress(
  headers: Headers,
  socketAddress: () => string | undefined,
  trustProxy: number,
): string {
  const direct = () => normalise(socketAddress() ?? '')
  if (trustProxy === 0) return direct()
  const forwarded = (headers.get('x-forwarded-for') ?? '').split(',').map((entry) => normalise(entry.trim()))
  const claimed = forwarded.at(-trustProxy) ?? forwarded[0] ?? ''
  return isIP(claimed) === 0 ? direct() : claimed
}

/** The key that rate limits count by: an IPv6 household has a whole /64. */
export function limitKeyOf(address: string): string {
  return isIP(address) === 6 ? `${firstGroups(address, 4)}::/64` : address
}

/**
 * The range in which one sender can pick addresses freely: an IPv4 /24, or the /48 that providers assign to a
 * site.
 */
export function networkOf(address: string): string {
  if (isIP(address) === 6) return `${firstGroups(address, 3)}::/48`
  return `${address.split('.').slice(0, 3).join('.')}.0/24`
}

function firstGroups(address: string, count: number): string {
  const [head = '', tail = ''] = address.toLowerCase().split('::')
  const left = head.split(':').filter(Boolean)
  const right = tail.split(':').filter(Boolean)
  const zeros = address.includes('::')
    ? Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0')
    : []
  const groups = [...left, ...zeros, ...right].map((group) => group.replace(/^0+(?=.)/, ''))
  return groups.slice(0, count).join(':')
}

function normalise(address: string): string {
  const bare = address.startsWith('[') ? address.slice(1, address.indexOf(']')) : address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)
  return mapped?.[1] ?? bare
}

const LOOPBACK = /^(?:(?:.+\.)?localhost\.?|127(?:\.\d{1,3}){3}|\[::1\])$/i

/** Whether a host, as a URL has it, names the machine itself. */
export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK.test(hostname)
}
