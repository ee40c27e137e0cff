import { describe, expect, test } from 'bun:test'

import { completeConfig, ConfigError, parseConfig } from '../../../src/config/config.ts'
import {
  createLabelReader,
  describeSharedDomain,
  isPlayPattern,
  playOrigin,
} from '../../../src/domain/play-origins.ts'

const UID = '01a1e559-373f-70e9-b2d8-2d69caf39768'
const FACTS = { port: 4321, databaseUrl: 'postgres://x', secretKey: 's'.repeat(32) }

function playUrlOf(env: Record<string, string>): string | null {
  return completeConfig(parseConfig(env), FACTS).playUrl
}

function faultsOf(env: Record<string, string>): string {
  try {
    playUrlOf(env)
    return ''
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
}

describe('PLAY_URL', () => {
  test('is *.localhost while the store is on this machine, else nothing', () => {
    expect(playUrlOf({})).toBe('http://*.localhost:4321')
    expect(playUrlOf({ HOST: '0.0.0.0' })).toBe('http://*.localhost:4321')
    expect(playUrlOf({ BASE_URL: 'http://localhost:9000' })).toBe('http://*.localhost:4321')
    expect(playUrlOf({ BASE_URL: 'https://games.example.org' })).toBeNull()
    expect(playUrlOf({ BASE_URL: 'http://games.localhost:4321' })).toBeNull()
  })

  test('is a pattern with one star in its first label', () => {
    for (const pattern of ['https://*.play.example', 'http://*.localhost:8080', 'https://g-*.example.org/'])
      expect(playUrlOf({ BASE_URL: 'https://store.test', PLAY_URL: pattern })).toBe(
        pattern.replace(/\/$/, ''),
      )
    for (const wrong of [
      'https://play.example',
      'https://*.*.example',
      'https://a.*.example',
      'https://*',
      'https://*.play.example/games',
      'https://*.play.example?x',
      'https://user@*.play.example',
      'ftp://*.play.example',
      '*.play.example',
      'https://*.play.example:99999',
    ])
      expect([wrong, faultsOf({ PLAY_URL: wrong })]).toEqual([
        wrong,
        expect.stringContaining('PLAY_URL is not an http(s) address'),
      ])
  })

  test('stops the start where it also matches an address of the store', () => {
    const own: Record<string, string>[] = [
      { BASE_URL: 'https://store.example.org' },
      { BASE_URL: 'https://store.test', UPLOAD_URL: 'https://upload.example.org:444' },
      { BASE_URL: 'https://store.test', MCP_AUTH_URL: 'https://sign-in.example.org' },
    ]
    for (const env of own)
      expect(faultsOf({ ...env, PLAY_URL: 'https://*.example.org' })).toContain('PLAY_URL')
    expect(faultsOf({ BASE_URL: 'https://example.org', PLAY_URL: 'https://*.example.org' })).toBe('')
    expect(faultsOf({ BASE_URL: 'https://a.b.example.org', PLAY_URL: 'https://*.example.org' })).toBe('')
  })
})

describe('the label of a host', () => {
  const read = createLabelReader('https://g-*.play.example:444')

  test('is found in every form of the header', () => {
    for (const host of [
      `g-${UID}.play.example`,
      `g-${UID}.play.example:444`,
      `g-${UID}.play.example:80`,
      `G-${UID.toUpperCase()}.PLAY.example.`,
      `g-${UID}.play.example.:444`,
      `g-${UID}.play.example:`,
    ])
      expect(read(host)).toBe(UID)
  })

  test('is null for other hosts', () => {
    for (const host of [
      null,
      '',
      'play.example',
      'g-.play.example',
      `${UID}.play.example`,
      `g-${UID}.play.example.org`,
      `x.g-${UID}.play.example`,
      `g-x.${UID}.play.example`,
      '[::1]:444',
    ])
      expect([host, read(host)]).toEqual([host, null])
  })

  test('and the origin of a game fit each other', () => {
    expect(isPlayPattern('https://g-*.play.example:444')).toBe(true)
    expect(playOrigin('https://g-*.play.example:444', UID)).toBe(`https://g-${UID}.play.example:444`)
    expect(read(new URL(playOrigin('https://g-*.play.example:444', UID)).host)).toBe(UID)
  })
})

test.each([
  ['https://store.example.org', 'https://*.play.example.org', 'example.org'],
  ['https://example.org', 'https://*.play.example.org', 'example.org'],
  ['https://a.b.example.co.uk:444', 'https://*.example.co.uk', 'example.co.uk'],
  ['http://store.internal.lan', 'http://*.internal.lan', 'internal.lan'],
  ['https://store.example.org', 'https://*.example.net', null],
  ['https://store.co.uk', 'https://*.play.co.uk', null],
  ['http://127.0.0.1:8080', 'http://*.localhost:8080', null],
  ['http://localhost:8080', 'http://*.localhost:8080', null],
  ['https://store.example.org', null, null],
])('a store at %s with games at %p shares %p with them', (baseUrl, playUrl, domain) => {
  const told = describeSharedDomain({ baseUrl, playUrl })
  if (domain === null) expect(told).toBeNull()
  else expect(told).toContain(`share the domain ${domain}:`)
})
