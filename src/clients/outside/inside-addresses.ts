import { BlockList, isIP, isIPv4 } from 'node:net'

/** All address ranges that are not public internet addresses, from the IANA registries. */
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
].map(parseSubnet)

/** BlockList itself checks mapped addresses (`::ffff:a.b.c.d`) as IPv4; NAT64 and 6to4 are added here. */
const INSIDE = createList([
  ...IPV4_INSIDE,
  ...IPV4_INSIDE.map(toNat64),
  ...IPV4_INSIDE.map(to6to4),
  ...[
    '2001::/23', // protocol assignments, Teredo, benchmarks
    '2001:db8::/32', // documentation
    '3fff::/20', // documentation
  ].map(parseSubnet),
])
const IPV6_ORDINARY = createList(['2000::/3', '::ffff:0:0/96', '64:ff9b::/96'].map(parseSubnet))

interface Subnet {
  address: string
  bits: number
}

/** Whether the address is in a private network or otherwise not public. */
export function isInsideAddress(address: string): boolean {
  // Zone ids exist only on local networks.
  if (isIP(address) === 0 || address.includes('%')) return true
  if (isIPv4(address)) return INSIDE.check(address, 'ipv4')
  return !IPV6_ORDINARY.check(address, 'ipv6') || INSIDE.check(address, 'ipv6')
}

function createList(subnets: readonly Subnet[]): BlockList {
  const list = new BlockList()
  for (const { address, bits } of subnets) list.addSubnet(address, bits, isIPv4(address) ? 'ipv4' : 'ipv6')
  return list
}

function parseSubnet(text: string): Subnet {
  const [address = '', bits] = text.split('/')
  return { address, bits: Number(bits) }
}

function toNat64({ address, bits }: Subnet): Subnet {
  return { address: `64:ff9b::${address}`, bits: 96 + bits }
}

function to6to4({ address, bits }: Subnet): Subnet {
  const hex = Buffer.from(address.split('.').map(Number)).toString('hex')
  return { address: `2002:${hex.slice(0, 4)}:${hex.slice(4)}::`, bits: 16 + bits }
}
