import { describe, expect, test } from 'bun:test'

import { isHttpsUrl, parseLocalPath } from '../../../../src/lib/net/urls.ts'
import { HOSTILE_PATHS } from '../../../helpers/hostile/hostile-paths.ts'

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
