import { describe, expect, test } from 'bun:test'

import { checkPlayOrigins, type Network } from '../../../src/commands/doctor.ts'

const PATTERN = 'https://*.play.example.net'
const OURS = new Response(null, {
  status: 404,
  headers: { 'cross-origin-resource-policy': 'cross-origin' },
})

const network = (over: Partial<Network> = {}): Network => ({
  lookUp: async () => {},
  request: async () => OURS,
  ...over,
})

const failing = (code: string) => async () => {
  throw Object.assign(new Error('it failed'), { code })
}

describe('the check of the play origins', () => {
  test('passes where a game that does not exist is answered by us', async () => {
    const asked: string[] = []
    const request = async (url: string) => {
      asked.push(url)
      return OURS
    }
    expect(await checkPlayOrigins(PATTERN, network({ request }))).toEqual({
      ok: true,
      text: `${PATTERN}, answers there`,
    })
    expect(asked[0]).toMatch(/^https:\/\/[0-9a-f-]{36}\.play\.example\.net\/$/)
  })

  test('does not wait for a name server that never answers', async () => {
    const lookUp = () => new Promise<never>(() => {})
    const found = await checkPlayOrigins(PATTERN, network({ lookUp }), 5)
    expect([found.ok, found.text.includes('name server did not answer')]).toEqual([false, true])
  })

  test.each([
    [
      'a name that does not resolve',
      { lookUp: failing('ENOTFOUND') },
      'Add a DNS record for *.play.example.net',
    ],
    [
      'a certificate of another name',
      { request: failing('ERR_TLS_CERT_ALTNAME_INVALID') },
      'one for the wildcard',
    ],
    ['a certificate of nobody', { request: failing('DEPTH_ZERO_SELF_SIGNED_CERT') }, 'one for the wildcard'],
    ['another program', { request: async () => new Response('hello') }, 'answered by another program'],
  ])('fails for %s', async (_, over: Partial<Network>, text) => {
    const found = await checkPlayOrigins(PATTERN, network(over))
    expect([found.ok, found.text.includes(text)]).toEqual([false, true])
  })

  test('warns where nothing answers yet, and where no origin is set', async () => {
    const silent = await checkPlayOrigins(PATTERN, network({ request: failing('ConnectionRefused') }))
    expect(silent).toMatchObject({ ok: true, warning: true })
    expect(await checkPlayOrigins(null)).toMatchObject({ ok: true, warning: true })
  })

  test('asks nobody about names that browsers resolve by themselves', async () => {
    const found = await checkPlayOrigins('http://*.localhost:8080', network({ lookUp: failing('ENOTFOUND') }))
    expect(found).toMatchObject({ ok: true })
    expect(found.warning).toBeUndefined()
  })
})
