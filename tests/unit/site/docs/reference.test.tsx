import { describe, expect, test } from 'bun:test'

import { Elysia, t } from 'elysia'

import { Envelope, ok } from '../../../../src/http/input/schema.ts'
import { buildDocument } from '../../../../src/http/openapi/document.ts'
import { createCurl } from '../../../../src/site/docs/operation.tsx'
import { Reference } from '../../../../src/site/docs/reference.tsx'
import { Json } from '../../../../src/site/docs/sample.tsx'
import { renderText } from '../../../../src/site/kit/html.ts'
import { findMisplaced } from '../../../helpers/site/nesting.ts'

const HOSTILE = `<img src=x onerror="alert('1')">`

test('a sample marks the parts of JSON and keeps its text', () => {
  const value = { key: 'a "quoted" <text> & 5 true', list: [1, -2.5, true, null] }
  const markup = renderText(<Json value={value} />)
  expect(markup).toContain('<span class="json-key">&quot;key&quot;</span>:')
  expect(markup).toContain('<span class="json-number">-2.5</span>')
  expect(markup).toContain('<span class="json-word">null</span>')
  const text = markup
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
  expect(JSON.parse(text)).toEqual(value)
})

describe('the reference', () => {
  const app = new Elysia().get('/api/v1/public/things', () => ok({ inner: 'x' }), {
    response: Envelope(
      t.Object({ inner: t.String({ description: `Deep inside:\n\n- a list\n- ${HOSTILE}` }) }),
    ),
    detail: { tags: ['Catalog'], summary: HOSTILE },
  })
  const page = renderText(<Reference document={buildDocument(app.routes, 'https://games.example.org')} />)

  test('shows a route with its fields, and escapes its texts', () => {
    expect(page).toContain('id="getThings"')
    expect(page).toContain('href="#getThings"')
    expect(page).toContain('id="tag-catalog"')
    expect(page).toContain('Deep inside:')
    expect(page).not.toContain('<img')
  })

  test('puts no list into a line of text', () => {
    expect(page).toContain('<li>a list</li>')
    expect(findMisplaced(page)).toEqual([])
  })
})

describe('the curl command', () => {
  test('carries credentials as variables, examples as values and the body quoted for a shell', () => {
    const app = new Elysia().post('/api/v1/extstore/:game_uid/server/verify', () => ok({}), {
      params: t.Object({ game_uid: t.String({ examples: ['lantern keeper'] }) }),
      query: t.Object({ q: t.Optional(t.String({ examples: ['a&b'] })), page: t.Optional(t.Integer()) }),
      body: t.Object({ token: t.String({ examples: ["it's"] }) }),
      detail: { tags: ['External-store sign-in'], 'x-access': 'game_server' },
    })
    const document = buildDocument(app.routes, 'https://games.example.org')
    const path = '/api/v1/extstore/{game_uid}/server/verify'
    const operation = document.paths[path]?.post
    if (!operation) throw new Error('The route is not in the document')
    expect(createCurl(document, 'post', path, operation).split(' \\\n  ')).toEqual([
      `curl -X POST 'https://games.example.org/api/v1/extstore/lantern%20keeper/server/verify?q=a%26b'`,
      '-H "Authorization: Bearer $GAME_AUTH_KEY"',
      `-H 'Content-Type: application/json'`,
      String.raw`-d '{"token":"it'\''s"}'`,
    ])
  })
})
