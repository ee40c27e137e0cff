import { describe, expect, test } from 'bun:test'

import { DEFAULT_SETTINGS } from '../../../src/domain/store-settings.ts'
import type { Storefront } from '../../../src/domain/storefront.ts'
import type { ErrorName } from '../../../src/error-table.ts'
import { AppError } from '../../../src/errors.ts'
import { failurePages } from '../../../src/site/kit/error-page.tsx'

const STORE: Storefront = {
  settings: { ...DEFAULT_SETTINGS, second_factor: 'optional', contact: 'help@example.org' },
  images: {},
  palette: null,
  looks: null,
  fonts: [],
  announcement: null,
  sells: false,
  externalStore: 'the external store',
  shareImage: null,
}
const REQUEST_ID = '01a1f12f-0978-7395-8aad-e9c47721eb11'

async function show(
  kind: ErrorName,
  headers: Record<string, string> = {},
  path = '/games/none',
  method = 'GET',
) {
  const { failure } = failurePages(
    'http://localhost',
    () => STORE,
    () => false,
  )
  const set = { headers: { 'x-request-id': REQUEST_ID } }
  const request = new Request(`http://localhost${path}`, { method })
  const answer = failure(new AppError(kind, { headers }), request, set)
  return { status: answer.status, text: await answer.text() }
}

describe('the page of a failure', () => {
  test.each<[ErrorName, number, string]>([
    ['forbidden', 403, 'You have no access to this'],
    ['not_found', 404, 'There is no such page'],
    ['too_large', 413, 'That is too large'],
    ['rate_limited', 429, 'That was a lot at once'],
    ['internal', 500, 'Something went wrong'],
    ['service_down', 503, 'Back in a moment'],
  ])('%s says what happened and where to go on', async (kind, status, title) => {
    const shown = await show(kind)
    expect(shown.status).toBe(status)
    expect(shown.text).toContain(`<h1>${title}</h1>`)
    expect(shown.text.match(/role="alert"/g)).toHaveLength(1)
    for (const part of [
      'href="/"',
      'href="/search"',
      'mailto:help@example.org',
      'class="error-picture"',
      `Error ${status}`,
    ])
      expect(shown.text).toContain(part)
  })

  test('tells how long to wait', async () => {
    expect((await show('rate_limited', { 'retry-after': '90' })).text).toMatch(/Wait [^<]*(?:90|minute)/)
  })

  test('first offers what helps: signing in, or the same page again', async () => {
    const firstWay = async (...parts: Parameters<typeof show>) =>
      /<a class="button" href="([^"]+)">([^<]+)</.exec((await show(...parts)).text)?.slice(1)
    expect(await firstWay('unauthorized')).toEqual(['/sign-in?next=%2Fgames%2Fnone', 'Sign in'])
    expect(await firstWay('internal', {}, '/search?find=a')).toEqual(['/search?find=a', 'Try again'])
    expect(await firstWay('rate_limited')).toEqual(['/games/none', 'Try again'])
    expect(await firstWay('internal', {}, '/sign-up', 'POST')).toEqual(['/', 'To the start page'])
    expect(await firstWay('not_found')).toEqual(['/', 'To the start page'])
  })

  test('names the request where somebody may report it, and nothing where a page is missing', async () => {
    expect((await show('internal')).text).toContain(REQUEST_ID)
    expect((await show('not_found')).text).not.toContain(REQUEST_ID)
  })
})
