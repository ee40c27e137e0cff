import { describe, expect, test } from 'bun:test'

import { t } from 'elysia'

import { exampleOf, type NamedSchemas, toDocumentSchema } from '../../../src/http/openapi/schemas.ts'

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
