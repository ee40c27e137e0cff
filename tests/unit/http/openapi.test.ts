import { describe, expect, test } from 'bun:test'

import { Elysia, t } from 'elysia'

import { Envelope, ok } from '../../../src/http/input/schema.ts'
import { buildDocument } from '../../../src/http/openapi/document.ts'
import { createOperationId, describeLimit } from '../../../src/http/openapi/operation.ts'
import { toYaml } from '../../../src/http/openapi/routes.ts'
import { exampleOf, type NamedSchemas, toDocumentSchema } from '../../../src/http/openapi/schemas.ts'
import { buildFullDocument, checkAnswer, createCheckedFetch } from '../../helpers/cases/answers.ts'

const Named = t.Object({ uid: t.String({ format: 'uuid' }) }, { $id: 'Named' })
const UID = '01980f5e-7a31-7c24-9d0b-52c1f6a3e8b4'

const app = new Elysia()
  .get('/api/v1/public/things/:uid', () => ok({ uid: UID }), { response: Envelope(Named) })
  .get('/api/v1/private/both', () => ok({ uid: UID, n: 1 }), {
    response: Envelope(t.Intersect([Named, t.Object({ n: t.Integer() })])),
  })
const document = buildFullDocument(app)
const THING = '/api/v1/public/things/1'
const failure = { success: false, error: { code: 4040, message: 'Not found.' } }

describe('an answer', () => {
  test.each([
    ['fits', 'GET', THING, 200, ok({ uid: UID })],
    ['fits when put together from parts', 'GET', '/api/v1/private/both', 200, ok({ uid: UID, n: 1 })],
    ['fits as a described failure', 'GET', THING, 404, failure],
    ['fits as any failure of a private route', 'GET', '/api/v1/private/both', 409, failure],
    ['fits as a failure of an unknown path', 'POST', '/api/v1/public/none', 404, failure],
    ['of the auth library is its own business', 'GET', '/api/auth/ok', 200, { ok: true }],
    ['outside the API is its own business', 'GET', '/.well-known/x', 200, {}],
  ])('%s', (_name, method, path, status, body) => {
    expect(checkAnswer(document, method, path, status, body)).toEqual([])
  })

  test.each([
    ['a wrong type', THING, 200, ok({ uid: 7 }), '/data/uid must be string'],
    ['a wrong format', THING, 200, ok({ uid: 'x' }), '/data/uid must match format "uuid"'],
    ['a missing field', THING, 200, ok({}), "/data must have required property 'uid'"],
    [
      'an undocumented field',
      THING,
      200,
      ok({ uid: UID, secret: 1 }),
      '/data must NOT have unevaluated properties (secret)',
    ],
    ['an undescribed status', THING, 202, ok({ uid: UID }), 'the status is not described'],
    ['an undescribed failure of a public route', THING, 409, failure, 'the status is not described'],
    ['a failure that is none', THING, 404, { message: 'no' }, "/ must have required property 'success'"],
    ['an unknown operation', '/api/v1/public/none', 200, ok({}), 'no operation describes it'],
  ])('is refused for %s', (_name, path, status, body, fault) => {
    expect(checkAnswer(document, 'GET', path, status, body)).toContain(fault)
  })
})

test('the checked fetch throws on a bad answer and hands a good one on unread', async () => {
  let body: unknown = ok({ uid: UID })
  const fetch = createCheckedFetch(async () => Response.json(body), document)
  const answer = await fetch(`${THING}?page=2`)
  expect(await answer.json()).toEqual(body)
  body = ok({ uid: 7 })
  const refusal = await fetch(THING).catch((error: unknown) => error)
  expect(refusal).toHaveProperty(
    'message',
    'GET /api/v1/public/things/1 answered 200: /data/uid must be string',
  )
})

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
      'x-errors': ['still_scanning', 'taken'],
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

const asRequest = (schema: unknown) => toDocumentSchema(schema, 'request', {})
const asResponse = (schema: unknown) => toDocumentSchema(schema, 'response', {})

describe('a schema of a route as JSON Schema', () => {
  test('shows the type itself where a query carries it as text', () => {
    expect(asRequest(t.Numeric({ minimum: 1 }))).toEqual({ type: 'number', minimum: 1 })
    expect(asRequest(t.BooleanString())).toEqual({ type: 'boolean' })
    expect(asRequest(t.Date())).toEqual({ type: 'string', format: 'date-time' })
  })

  test('lists a choice of literals as an enum, and keeps null as a type', () => {
    expect(asResponse(t.Union([t.Literal('a'), t.Literal('b')]))).toEqual({
      type: 'string',
      enum: ['a', 'b'],
    })
    expect(asResponse(t.Nullable(t.String()))).toEqual({ anyOf: [{ type: 'string' }, { type: 'null' }] })
  })

  test('shows defaults of what is sent to us, not of answers', () => {
    const schema = t.Object({ sort: t.String({ default: 'newest' }) })
    expect(asRequest(schema).properties).toEqual({ sort: { type: 'string', default: 'newest' } })
    expect(asResponse(schema).properties).toEqual({ sort: { type: 'string' } })
  })

  test('keeps fields that are called like a keyword of the library', () => {
    const schema = asResponse(t.Object({ error: t.String({ error: 'Not a text.' }) }))
    expect(schema).toEqual({ type: 'object', required: ['error'], properties: { error: { type: 'string' } } })
  })

  test('describes a record by its values', () => {
    expect(asResponse(t.Record(t.String(), t.Boolean()))).toEqual({
      type: 'object',
      additionalProperties: { type: 'boolean' },
    })
  })

  test('writes a schema with an $id once and refers to it', () => {
    const named: NamedSchemas = {}
    const Card = t.Object({ uid: t.String() }, { $id: 'Card' })
    const schema = toDocumentSchema(t.Array(Card), 'response', named)
    expect(schema).toEqual({ type: 'array', items: { $ref: '#/components/schemas/Card' } })
    expect(named).toEqual({
      Card: { type: 'object', required: ['uid'], properties: { uid: { type: 'string' } } },
    })
  })

  test('refuses two schemas under one $id', () => {
    const named: NamedSchemas = {}
    toDocumentSchema(t.String({ $id: 'Card' }), 'response', named)
    expect(() => toDocumentSchema(t.Integer({ $id: 'Card' }), 'response', named)).toThrow('"Card"')
  })
})

describe('an example', () => {
  test('is put together from the examples of the parts', () => {
    const Name = t.String({ $id: 'Name', examples: ['Lantern Keeper'] })
    const named: NamedSchemas = {}
    const schema = toDocumentSchema(
      t.Object({
        name: Name,
        uid: t.String({ format: 'uuid' }),
        kind: t.UnionEnum(['game', 'mod']),
        rating: t.Integer({ minimum: 3 }),
        tagline: t.Nullable(t.String({ minLength: 6, maxLength: 8 })),
        tags: t.Array(t.Literal('cozy')),
        more: t.Intersect([t.Object({ a: t.Boolean() }), t.Object({ b: t.Literal(2) })]),
      }),
      'response',
      named,
    )
    expect(exampleOf(schema, named)).toEqual({
      name: 'Lantern Keeper',
      uid: '01980f5e-7a31-7c24-9d0b-52c1f6a3e8b4',
      kind: 'game',
      rating: 3,
      tagline: 'text..',
      tags: ['cozy'],
      more: { a: true, b: 2 },
    })
  })
})
