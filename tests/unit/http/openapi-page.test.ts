import { describe, expect, test } from 'bun:test'

import { Elysia, t } from 'elysia'

import { buildDocument } from '../../../src/http/openapi/document.ts'
import { createCurl } from '../../../src/http/openapi/page/curl.ts'
import { renderReferencePage } from '../../../src/http/openapi/page/reference-page.ts'
import { Envelope, ok } from '../../../src/http/output/envelope.ts'
import { html, json, markdown } from '../../../src/lib/text/html.ts'

const HOSTILE = `<img src=x onerror="alert('1')">`

describe('markup', () => {
  test('escapes whatever is put into it, once', () => {
    expect(html`<p title="${HOSTILE}">${[html`<b>${'a & b'}</b>`, false, null, 7]}</p>`.markup).toBe(
      '<p title="&lt;img src=x onerror=&quot;alert(&#x27;1&#x27;)&quot;&gt;"><b>a &amp; b</b>7</p>',
    )
  })

  test('lets no tags through from markdown', () => {
    expect(markdown(`*Hi* ${HOSTILE}`).markup).not.toContain('<img')
  })

  test('marks the parts of JSON and keeps its text', () => {
    const value = { key: 'a "quoted" <text>', list: [1, -2.5, true, null] }
    const { markup } = json(value)
    expect(markup).toContain('<span class="j-key">&quot;key&quot;</span>:')
    expect(markup).toContain('<span class="j-number">-2.5</span>')
    const text = markup
      .replaceAll(/<[^>]+>/g, '')
      .replaceAll('&quot;', '"')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
    expect(JSON.parse(text)).toEqual(value)
  })
})

describe('the page', () => {
  test('shows a route with its fields, and escapes its texts', () => {
    const app = new Elysia().get('/api/v1/public/things', () => ok({ inner: 'x' }), {
      response: Envelope(t.Object({ inner: t.String({ description: 'Deep inside.' }) })),
      detail: { tags: ['Catalog'], summary: HOSTILE },
    })
    const page = renderReferencePage(buildDocument(app.routes, 'https://games.example.org'))
    expect(page).toContain('id="getThings"')
    expect(page).toContain('Deep inside.')
    expect(page).not.toContain(HOSTILE)
  })
})

describe('the curl command', () => {
  test('carries credentials as variables, examples as values and the body quoted for a shell', () => {
    const app = new Elysia().post('/api/v1/extstore/:game_uid/server/verify', () => ok({}), {
      params: t.Object({ game_uid: t.String({ examples: ['lantern keeper'] }) }),
      query: t.Object({ q: t.Optional(t.String({ examples: ['a&b'] })), page: t.Optional(t.Integer()) }),
      body: t.Object({ token: t.String({ examples: ["it's"] }) }),
      detail: { tags: ['External-store sign-in'], ...{ 'x-access': 'game_server' } },
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
