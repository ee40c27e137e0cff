import { describe, expect, test } from 'bun:test'

import { readJsonBody } from '../../../../src/http/input/body.ts'

function read(body: string): Promise<unknown> {
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
  return readJsonBody(new Request('http://localhost/', { method: 'POST', headers, body }))
}

describe('a JSON body', () => {
  test.each([
    ['a whole character as two escapes', String.raw`{"a":"\ud83d\ude00"}`, '😀'],
    ['a backslash before what looks like an escape', String.raw`{"a":"\\ud800"}`, String.raw`\ud800`],
  ])('%s is taken', async (_, body, a) => {
    expect(await read(body)).toEqual({ a })
  })

  test.each([
    ['the first half of a character', String.raw`{"a":"\ud800"}`],
    ['the second half of a character', String.raw`{"a":"\uDC00 x"}`],
    ['half a character behind a backslash', String.raw`{"a":"\\\ud800"}`],
    ['half a character in a name', String.raw`{"\ud800":1}`],
    ['a NUL character', String.raw`{"a":"\u0000"}`],
    ['no JSON', '{'],
  ])('%s is refused', async (_, body) => {
    expect(read(body)).rejects.toMatchObject({ code: 4000 })
  })
})

describe('whether there is a body', () => {
  const send = (headers: Record<string, string>, method = 'POST') =>
    readJsonBody(
      new Request('http://localhost/', { method, headers, ...(method === 'POST' && { body: '1' }) }),
    )
  const json = { 'content-type': 'application/json' }

  test.each([
    ['no length', json],
    ['a length of 0', { ...json, 'content-length': '0' }],
    ['another type, but no length', { 'content-type': 'text/plain' }],
  ])('%s means none', async (_, headers) => {
    expect(await send(headers)).toBeUndefined()
  })

  test('a body in chunks is read', async () => {
    expect(await send({ ...json, 'transfer-encoding': 'chunked' })).toBe(1)
  })

  test('the body of a GET is ignored', async () => {
    expect(await send({ 'content-type': 'text/plain', 'content-length': '1' }, 'GET')).toBeUndefined()
  })

  test('another type is refused', async () => {
    expect(send({ 'content-type': 'text/plain', 'content-length': '1' })).rejects.toMatchObject({
      status: 415,
    })
  })
})
