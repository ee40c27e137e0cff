import { isIPv4, isIPv6 } from 'node:net'

interface Block {
  prefix: bigint
  /** Bits that are not looked at. */
  rest: bigint
}

/** Everything that is not an ordinary address of the internet, by the registries of IANA. */
const IPV4_INSIDE = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8',
  '100.64.0.0/10', // shared by a provider's customers; metadata of some clouds
  '127.0.0.0/8',
  '168.63.129.16/32', // a cloud's own services
  '169.254.0.0/16', // link-local; metadata of most clouds
  '172.16.0.0/12',
  '192.0.0.0/24', // protocol assignments; metadata of some clouds
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // former 6to4 relays
  '192.168.0.0/16',
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
].map(parseBlock)

const IPV6_ORDINARY = parseBlock('2000::/3')
const IPV6_INSIDE = [
  '2001::/23', // protocol assignments, Teredo, benchmarks
  '2001:db8::/32', // documentation
  '3fff::/20', // documentation
].map(parseBlock)

/** Kinds of IPv6 addresses that lead to an IPv4 address, and how far right that one stands. */
const IPV6_LEADING_TO_IPV4: readonly (readonly [Block, bigint])[] = [
  [parseBlock('::ffff:0:0/96'), 0n],
  [parseBlock('64:ff9b::/96'), 0n],
  [parseBlock('2002::/16'), 80n],
]

/** Would a request to this address stay in our own network, or go where nobody on the internet lives? */
export function isInsideAddress(address: string): boolean {
  if (isIPv4(address)) return isInsideIpv4(parseIpv4(address))
  // Zones only make sense within a network.
  if (!isIPv6(address) || address.includes('%')) return true
  const value = parseIpv6(address)
  for (const [block, shift] of IPV6_LEADING_TO_IPV4) {
    if (contains(block, value)) return isInsideIpv4((value >> shift) & 0xff_ff_ff_ffn)
  }
  return !contains(IPV6_ORDINARY, value) || IPV6_INSIDE.some((block) => contains(block, value))
}

function isInsideIpv4(value: bigint): boolean {
  return IPV4_INSIDE.some((block) => contains(block, value))
}

function contains({ prefix, rest }: Block, value: bigint): boolean {
  return value >> rest === prefix
}

function parseBlock(text: string): Block {
  const [address = '', bits = ''] = text.split('/')
  const isShort = isIPv4(address)
  const rest = BigInt((isShort ? 32 : 128) - Number(bits))
  return { prefix: (isShort ? parseIpv4(address) : parseIpv6(address)) >> rest, rest }
}

function parseIpv4(address: string): bigint {
  return address.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n)
}

function parseIpv6(address: string): bigint {
  // The URL parser writes all of them in one way: hex groups, at most one gap.
  const plain = new URL(`http://[${address}]/`).hostname.slice(1, -1)
  const [left = [], right = []] = plain.split('::').map((half) => half.split(':').filter(Boolean))
  const gap = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...gap, ...right].reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n)
}
