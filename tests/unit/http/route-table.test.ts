import { describe, expect, test } from 'bun:test'

import { createRouteTable } from '../../../src/http/server/methods.ts'

const routeOf = createRouteTable(
  [
    '/',
    '/health',
    '/games/:uid',
    '/games/:uid/files/:file',
    '/games/new',
    '/games/new/draft',
    '/objects/*',
    '/auth/*',
  ].map((path) => ({ method: 'GET', path })),
)

describe('the route table', () => {
  test.each([
    ['/', '/'],
    ['/health', '/health'],
    ['/health/', '/health'],
    ['/games/1', '/games/:uid'],
    ['/games/1/', '/games/:uid'],
    ['/games/new', '/games/new'],
    ['/games/new/draft', '/games/new/draft'],
    ['/games/1/files/a.zip', '/games/:uid/files/:file'],
    ['/objects/a/b/c', '/objects/*'],
    ['/auth/sign-in/email', '/auth/*'],
  ])('%s is %s', (path, route) => {
    expect(routeOf(path)).toBe(route)
  })

  test('a fixed name that leads nowhere does not hide the parameter beside it', () => {
    expect(routeOf('/games/new/files/x')).toBe('/games/:uid/files/:file')
  })

  test.each(['/healthy', '/games', '/games/', '/games/1/2/3', '/constructor', '/games/1/files'])(
    '%s is no route',
    (path) => {
      expect(routeOf(path)).toBe('unmatched')
    },
  )
})
