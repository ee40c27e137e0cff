import { describe, expect, test } from 'bun:test'

import { Elysia, t } from 'elysia'

import { Envelope, ok } from '../../../src/http/output/envelope.ts'
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
