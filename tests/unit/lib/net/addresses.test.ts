import { describe, expect, test } from 'bun:test'

import { limitKeyOf, networkOf, parseClientAddress } from '../../../../src/lib/net/addresses.ts'

const read = (forwarded: string | null, trustProxy: number, socket = '192.0.2.1') =>
  parseClientAddress(
    new Headers(forwarded === null ? {} : { 'x-forwarded-for': forwarded }),
    () => socket,
    trustProxy,
  )

describe('the client address', () => {
  test.each<[string, string | null, number, string]>([
    ['no proxy trusted: the header is a claim', '203.0.113.9', 0, '192.0.2.1'],
    ['one proxy: its own entry', '203.0.113.9', 1, '203.0.113.9'],
    ['one proxy: what the client claimed before it is ignored', '1.1.1.1, 203.0.113.9', 1, '203.0.113.9'],
    ['two proxies', '203.0.113.9, 198.51.100.2', 2, '203.0.113.9'],
    ['two proxies, one entry: the first there is', '203.0.113.9', 2, '203.0.113.9'],
    ['no header: the socket', null, 1, '192.0.2.1'],
    ['nonsense: the socket', 'unknown, <script>', 1, '192.0.2.1'],
    ['IPv6', '2001:db8::1', 1, '2001:db8::1'],
    ['IPv6 in brackets with a port', '[2001:db8::1]:443', 1, '2001:db8::1'],
    ['IPv4 in IPv6 clothes', '::ffff:203.0.113.9', 1, '203.0.113.9'],
  ])('%s', (_, forwarded, trustProxy, address) => {
    expect(read(forwarded, trustProxy)).toBe(address)
  })

  test('a household of IPv6 counts once', () => {
    expect(limitKeyOf('203.0.113.9')).toBe('203.0.113.9')
    expect(limitKeyOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64')
    expect(limitKeyOf('2001:db8::1')).toBe('2001:db8:0:0::/64')
    expect(limitKeyOf('::1')).toBe('0:0:0:0::/64')
    expect(limitKeyOf('2001:0DB8:0001::1')).toBe('2001:db8:1:0::/64')
  })

  test('a site is one network', () => {
    expect(networkOf('203.0.113.9')).toBe('203.0.113.0/24')
    expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1::/48')
    expect(networkOf('2001:0DB8:0001:ffff::1')).toBe('2001:db8:1::/48')
    expect(networkOf('::1')).toBe('0:0:0::/48')
  })
})
