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

async function show(kind: ErrorName, headers: Record<string, string> = {}, path = '/games/none') {
  const { failure } = failurePages('http://localhost', () => STORE)
  const set = { headers: { 'x-request-id': REQUEST_ID } }
  const answer = failure(new AppError(kind, { headers }), new Request(`http://localhost${path}`), set)
  return { status: answer.status, text: await answer.text() }
}

describe('the page of a failure', () => {
  test.each<[ErrorName, number, string]>([
    ['forbidden', 403, 'This is not for you'],
    ['not_found', 404, 'There is no such page'],
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

  test('names the request where somebody may report it, and nothing where a page is missing', async () => {
    expect((await show('internal')).text).toContain(REQUEST_ID)
    expect((await show('not_found')).text).not.toContain(REQUEST_ID)
  })
})
