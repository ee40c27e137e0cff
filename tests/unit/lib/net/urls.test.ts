import { describe, expect, test } from 'bun:test'

import { limitKeyOf, networkOf, parseClientAddress } from '../../../../src/lib/net/addresses.ts'
import { parseUrl } from '../../../../src/lib/net/requests.ts'
import { isHttpsUrl, parseLocalPath } from '../../../../src/lib/net/urls.ts'
import { HOSTILE_PATHS } from '../../../helpers/hostile/hostile-paths.ts'

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

test.each([
  ['http://store.example/search?q=a&q=b', '/search?q=a&q=b'],
  ['http://a b/search?q=1', '/search?q=1'],
  ['http://[/', '/'],
  ['http://"><script>/x', '/x'],
  ['http://store.example', '/'],
  ['http://store.example//evil.example/x', '//evil.example/x'],
])('%s is read as %s, whatever host it names', (url, target) => {
  const { origin, pathname, search } = parseUrl(url)
  expect([origin, pathname + search]).toEqual(['http://localhost', target])
})

describe('an https link', () => {
  test.each([
    'https://example.org',
    'https://example.org/',
    'HTTPS://Example.org/Path?query=1#part',
    'https://example.org?q',
    'https://example.org:8443/',
    'https://example.org/@user/a:b',
    'https://bücher.example/straße',
    'https://[::1]/',
  ])('%s is one', (text) => {
    expect(isHttpsUrl(text, 255)).toBe(true)
  })

  test.each([
    '',
    'example.org',
    '//example.org',
    'http://example.org/',
    'javascript:alert(1)',
    'https:example.org',
    'https:/example.org',
    'https:///example.org',
    'https://',
    'https://?q',
    'https://user@example.org/',
    'https://user:password@example.org/',
    'https://@example.org/',
    'https://exam ple.org/',
    ' https://example.org/',
    'https://example.org/\n',
    'https://example.org/a\tb',
    'https://example.org/\u0007',
    'https:\\\\example.org/',
    'https://example.org\\@evil.example/',
    'https://example.org:99999/',
    'https://[::1/',
  ])('%j is none', (text) => {
    expect(isHttpsUrl(text, 255)).toBe(false)
  })

  test('has at most the characters it may have', () => {
    expect(isHttpsUrl('https://example.org/', 20)).toBe(true)
    expect(isHttpsUrl('https://example.org/', 19)).toBe(false)
  })
})

describe('a path of this site', () => {
  test.each([
    '/',
    '/account',
    '/search?q=a%20b&tags=cozy',
    '/library?page=2#list',
    '/verify?next=//a%2f%5c\\',
  ])('%s is one', (text) => {
    expect(parseLocalPath(text)).toBe(text)
  })

  test.each(HOSTILE_PATHS)('%p is none', (text) => {
    expect(parseLocalPath(text)).toBeNull()
  })

  test.each(['/／evil.example', '/⁄evil.example', '/a/../b', '/./a', '/@evil.example'])(
    '%p stays here, however often it is read',
    (text) => {
      const path = parseLocalPath(text) ?? '//none'
      expect(parseLocalPath(path)).toBe(path)
      expect(new URL(path, 'https://shelf.example').host).toBe('shelf.example')
    },
  )
})
