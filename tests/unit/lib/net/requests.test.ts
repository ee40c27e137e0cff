import { expect, test } from 'bun:test'

import { parseUrl } from '../../../../src/lib/net/requests.ts'

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
