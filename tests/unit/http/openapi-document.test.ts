import { describe, expect, test } from 'bun:test'

import { Elysia, t } from 'elysia'

import { buildDocument } from '../../../src/http/openapi/document.ts'
import { failsWith } from '../../../src/http/openapi/failures.ts'
import { createOperationId, describeLimit } from '../../../src/http/openapi/operation.ts'
import { toYaml } from '../../../src/http/openapi/routes.ts'
import { Envelope, ok } from '../../../src/http/output/envelope.ts'

const BASE_URL = 'https://games.example.org'
const PATH = '/api/v1/public/games/{game_id}/notes'

function describeRoute(declared: object) {
  const app = new Elysia().post('/api/v1/public/games/:game_id/notes', () => ok({ n: 1 }), {
    response: { 201: Envelope(t.Object({ n: t.Integer() })) },
    detail: { tags: ['Catalog'], summary: 'Leave a note', description: 'For others.', ...declared },
  })
  const document = buildDocument(app.routes, BASE_URL)
  const operation = document.paths[PATH]?.post
  if (!operation) throw new Error('The route is not in the document')
  return { document, operation }
}

describe('an operation', () => {
  test('tells who may use it and how often', () => {
    const { operation } = describeRoute({ 'x-access': 'visitor', 'x-limits': ['search'] })
    expect(operation.description).toStartWith('For others.\n\nNo credential is needed.')
    expect(operation.description).toEndWith('At most 1,200 requests a minute per IP address.')
    expect(operation.security).toEqual([{}, { player: [] }, { player_header: [] }])
  })

  test('asks for the scope on every way of sending the credential', () => {
    const { operation, document } = describeRoute({
      'x-access': 'player',
      'x-scopes': ['player:bugs'],
    })
    expect(operation.security).toEqual([{ player: ['player:bugs'] }, { player_header: ['player:bugs'] }])
    expect(Object.keys(document.components.securitySchemes)).toEqual(['player', 'player_header'])
  })

  test.each([
    ['open', ['201', '400', '404', '500', '503']],
    ['visitor', ['201', '400', '401', '403', '404', '500', '503']],
    ['deploy_key', ['201', '400', '401', '404', '500', '503']],
    ['game_server', ['201', '400', '401', '404', '429', '500', '503']],
  ])('has the failures that follow from access for %s', (access, statuses) => {
    const { operation } = describeRoute({ 'x-access': access })
    expect(Object.keys(operation.responses)).toEqual(statuses)
  })

  test('has the failures that the route names itself, each code with its example', () => {
    const { operation, document } = describeRoute({
      'x-access': 'open',
      ...failsWith('still_scanning', 'taken'),
    })
    expect(operation.responses['409']).toEqual({ $ref: '#/components/responses/still_scanning-or-taken' })
    const failure = document.components.responses['still_scanning-or-taken']
    expect(failure?.content?.['application/json']?.examples?.taken?.value).toEqual({
      success: false,
      error: { code: 4090, message: 'This value is already taken. Choose another.' },
    })
  })

  test('carries the limit headers on success where it has limits, and Retry-After on 429', () => {
    const { operation, document } = describeRoute({ 'x-access': 'open', 'x-limits': ['search'] })
    expect(JSON.stringify(operation.responses['201'])).toContain('#/components/headers/RateLimit-Remaining')
    expect(Object.keys(document.components.responses.rate_limited?.headers ?? {})).toContain('Retry-After')
    expect(JSON.stringify(describeRoute({}).operation.responses['201'])).not.toContain('RateLimit')
  })

  test('can be asked again with If-None-Match where its answer is cached', () => {
    const { operation } = describeRoute({ 'x-cache': { maxAge: 5 } })
    expect(operation.parameters?.map(({ name }) => name)).toEqual(['game_id', 'If-None-Match'])
    expect(Object.keys(operation.responses)).toContain('304')
  })

  test('may write an answer that is no JSON itself', () => {
    const app = new Elysia().get('/api/v1/public/press.zip', () => 'zip', {
      detail: {
        responses: {
          200: { description: 'The zip.', content: { 'application/zip': { schema: { type: 'string' } } } },
        },
      },
    })
    const operation = buildDocument(app.routes, BASE_URL).paths['/api/v1/public/press.zip']?.get
    expect(operation?.responses['200']).toMatchObject({
      description: 'The zip.',
      headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } },
      content: { 'application/zip': { schema: { type: 'string' } } },
    })
  })

  test('shows a body as JSON alone, with an example, and examples of parameters in their schema', () => {
    const app = new Elysia().post('/api/v1/public/notes', () => 'x', {
      query: t.Object({ page: t.Optional(t.Numeric({ examples: [2] })) }),
      body: t.Object({ text: t.String({ examples: ['Hello'] }) }, { additionalProperties: false }),
    })
    const operation = buildDocument(app.routes, BASE_URL).paths['/api/v1/public/notes']?.post
    expect(operation?.parameters).toEqual([
      { name: 'page', in: 'query', required: false, schema: { type: 'number', examples: [2] } },
    ])
    expect(operation?.requestBody?.content).toEqual({
      'application/json': {
        example: { text: 'Hello' },
        schema: {
          type: 'object',
          required: ['text'],
          properties: { text: { type: 'string', examples: ['Hello'] } },
          additionalProperties: false,
        },
      },
    })
    expect(Object.keys(operation?.responses ?? {})).toContain('413')
  })
})

test('private, hidden and wildcard routes stay out', () => {
  const app = new Elysia()
    .get('/api/v1/private/me', () => 'x')
    .get('/api/v1/public/secret', () => 'x', { detail: { hide: true } })
    .get('/api/v1/public/files/*', () => 'x')
    .get('/health', () => 'x')
  expect(Object.keys(buildDocument(app.routes, BASE_URL).paths)).toEqual(['/health'])
})

test.each([
  ['GET', '/health', 'getHealth'],
  ['GET', '/api/v1/public/games/{game_id}/press.zip', 'getGamesByGameIdPressZip'],
  ['POST', '/api/v1/extstore/{game_uid}/server/verify', 'postExtstoreByGameUidServerVerify'],
])('%s %s is called %p', (method, path, id) => {
  expect(createOperationId(method, path)).toBe(id)
})

test('limits are told in words', () => {
  expect(describeLimit({ max: 10, windowSeconds: 86_400, per: 'account' })).toBe(
    'At most 10 requests a day per account.',
  )
})

test('texts that look like dates stay texts in YAML', () => {
  const value = { at: '2026-01-31T12:00:00.000Z', days: ['2026-01-31'], note: 'until 2026-01-31' }
  expect(toYaml(value)).toBe(
    'at: "2026-01-31T12:00:00.000Z"\ndays:\n  - "2026-01-31"\nnote: until 2026-01-31\n',
  )
})
