import { describe, expect, test } from 'bun:test'
import { resolve } from 'node:path'

import {
  completeConfig,
  ConfigError,
  listServicePorts,
  namedLocalhost,
  parseConfig,
} from '../../src/config/config.ts'

const secret = 's'.repeat(32)

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    parseConfig(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}

describe('defaults', () => {
  const config = parseConfig({})

  test('need nothing set', () => {
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      role: 'all',
      dataDir: resolve('./.data'),
      databaseUrl: null,
      databaseReadUrl: null,
      databasePrepare: true,
      storage: { kind: 'folder', path: resolve('./.data/objects') },
      meili: null,
      scanner: { kind: 'builtin' },
      redisUrl: null,
      secretKey: null,
      trustProxy: 0,
      tagMinPlayMinutes: 60,
      graceStart: null,
      logLevel: 'info',
      metricsPort: null,
      traces: null,
    })
    expect(config.mail.smtpUrl).toBeNull()
    expect(config.extstore.apiUrl).toStartWith('https://')
  })

  test('addresses follow the listener', () => {
    const facts = { port: 4321, databaseUrl: 'postgres://x', secretKey: secret }
    expect(completeConfig(config, facts)).toMatchObject({
      port: 4321,
      baseUrl: 'http://127.0.0.1:4321',
      uploadUrl: 'http://127.0.0.1:4321',
      mcpAuthUrl: 'http://127.0.0.1:4321',
      issuer: 'http://127.0.0.1:4321',
    })
    expect(completeConfig(parseConfig({ HOST: '0.0.0.0' }), facts).baseUrl).toBe('http://localhost:4321')
    expect(completeConfig(parseConfig({ HOST: '::1' }), facts).baseUrl).toBe('http://[::1]:4321')
    const named = (env: Record<string, string>) =>
      completeConfig(namedLocalhost(parseConfig(env)), facts).baseUrl
    expect(['127.0.0.1', '::1', '0.0.0.0'].map((HOST) => named({ HOST }))).toEqual(
      Array(3).fill('http://localhost:4321'),
    )
    expect(named({ HOST: '192.168.1.5' })).toBe('http://192.168.1.5:4321')
    expect(named({ BASE_URL: 'http://127.0.0.1' })).toBe('http://127.0.0.1')
    const set = completeConfig(parseConfig({ BASE_URL: 'https://games.example.org/', ISSUER: 'me' }), facts)
    expect(set).toMatchObject({
      baseUrl: 'https://games.example.org',
      uploadUrl: 'https://games.example.org',
      issuer: 'me',
    })
  })

  test.each([
    [{}, true],
    [{ BASE_URL: 'http://localhost:8080' }, true],
    [{ BASE_URL: 'http://[::1]:8080' }, true],
    [{ BASE_URL: 'https://games.example.org' }, false],
    [{ BASE_URL: 'https://localhost.example.org' }, false],
    [{ BASE_URL: 'https://games.example.org', LOCAL_WEBHOOKS: 'on' }, true],
    [{ LOCAL_WEBHOOKS: 'off' }, false],
  ])('webhooks to this machine with %j: %p', (env, isOn) => {
    const facts = { port: 4321, databaseUrl: 'postgres://x', secretKey: secret }
    expect(completeConfig(parseConfig(env), facts).localWebhooks).toBe(isOn)
  })

  test('an empty variable is an absent one', () => {
    expect(parseConfig({ PORT: '', REDIS_URL: '  ' })).toMatchObject({ port: 8080, redisUrl: null })
  })
})

describe('services', () => {
  test('an S3 address is taken apart', () => {
    const config = parseConfig({
      STORAGE_URL:
        's3://games?endpoint=http://s3:9000&public_endpoint=https://s3.example.org&region=eu-1&path_style=true',
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'key',
    })
    expect(config.storage).toEqual({
      kind: 's3',
      bucket: 'games',
      endpoint: 'http://s3:9000',
      region: 'eu-1',
      publicEndpoint: 'https://s3.example.org',
      pathStyle: true,
      accessKeyId: 'id',
      secretAccessKey: 'key',
    })
  })

  test.each([
    ['file:///srv/objects', '/srv/objects'],
    ['file:objects', resolve('objects')],
  ])('%s is a folder', (url, path) => {
    expect(parseConfig({ STORAGE_URL: url }).storage).toEqual({ kind: 'folder', path })
  })

  test('clamd listens on a port or a socket', () => {
    expect(parseConfig({ SCANNER_URL: 'clamd://scan:3311' }).scanner).toEqual({
      kind: 'clamd',
      host: 'scan',
      port: 3311,
    })
    expect(parseConfig({ SCANNER_URL: 'clamd:///run/clamd.sock' }).scanner).toEqual({
      kind: 'clamd-socket',
      path: '/run/clamd.sock',
    })
  })

  test('traces follow the standard variables', () => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4318/',
      OTEL_EXPORTER_OTLP_HEADERS: 'a=b%20c,d=e',
    }
    expect(parseConfig(env).traces).toMatchObject({
      url: 'http://otel:4318/v1/traces',
      headers: { a: 'b c', d: 'e' },
      serviceName: 'playshelf',
      ratio: 1,
    })
    expect(parseConfig({ ...env, OTEL_SDK_DISABLED: 'true' }).traces).toBeNull()
  })
})

describe('faults', () => {
  test.each([
    ['PORT', 'eighty'],
    ['PORT', '70000'],
    ['PORT', '-1'],
    ['BASE_URL', 'games.example.org'],
    ['BASE_URL', 'https://games.example.org/shop'],
    ['UPLOAD_URL', 'ftp://x'],
    ['ROLE', 'queen'],
    ['DATABASE_URL', 'mysql://x'],
    ['DATABASE_READ_URL', 'mysql://x'],
    ['STORAGE_URL', 'http://x'],
    ['STORAGE_URL', 's3://b?endpoint=nowhere'],
    ['STORAGE_URL', 's3://b?public_endpoint=nowhere'],
    ['MEILI_URL', 'meili'],
    ['SCANNER_URL', 'antivirus'],
    ['REDIS_URL', 'http://redis'],
    ['SMTP_URL', 'mail.example.org'],
    ['SECRET_KEY', 'short'],
    ['SECRET_KEY_PREVIOUS', 'short'],
    ['EXTSTORE_API_URL', 'nowhere'],
    ['TRUST_PROXY', 'yes'],
    ['COUNTRY_HEADER', 'two words'],
    ['TAG_MIN_PLAY_MINUTES', '1.5'],
    ['EVENTS_PER_DAY', '0'],
    ['ACCOUNT_STORAGE', '50 gigabytes'],
    ['STORAGE_RESERVE', '-1'],
    ['TRUSTED_ISSUERS', 'http://git.example'],
    ['TRUSTED_ISSUERS', 'https://git.example,nowhere'],
    ['TRUSTED_ISSUERS', 'https://git.example?x=1'],
    ['SIGN_IN_PROVIDERS', '[{"id":'],
    ['SIGN_IN_PROVIDERS', '{"id":"github"}'],
    ['SIGN_IN_PROVIDERS', '[{"id":"github","client_id":"a"}]'],
    ['SIGN_IN_PROVIDERS', '[{"id":"forge","client_id":"a","client_secret":"b"}]'],
    ['SIGN_IN_PROVIDERS', '[{"id":"credential","client_id":"a","client_secret":"b"}]'],
    ['SIGN_IN_PROVIDERS', '[{"id":"f","issuer":"http://forge.example","client_id":"a","client_secret":"b"}]'],
    ['PASSWORD_SIGN_IN', 'off'],
    ['GRACE_START', 'tomorrow'],
    ['GRACE_START', '2026-13-01'],
    ['LOG_LEVEL', 'loud'],
    ['METRICS_PORT', 'x'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'nowhere'],
    ['OTEL_TRACES_SAMPLER_ARG', '2'],
  ])('%s=%s is told by its name', (name, value) => {
    const faults = faultsOf({
      [name]: value,
      SECRET_KEY: secret,
      ...(name === 'SECRET_KEY' ? { SECRET_KEY: value } : {}),
    })
    expect(faults.some((fault) => fault.startsWith(`${name} `))).toBe(true)
  })

  test.each([
    [{}, true],
    [{ BASE_URL: 'http://localhost:8080' }, true],
    [{ BASE_URL: 'https://games.example.org' }, false],
    [{ HOST: '192.168.1.5' }, false],
  ])('an issuer on this machine with %j is accepted: %p', (env, isAccepted) => {
    const trusted = {
      ...env,
      SECRET_KEY: secret,
      TRUSTED_ISSUERS: 'http://127.0.0.1:9000,https://git.example',
    }
    if (isAccepted) expect(parseConfig(trusted).trustedIssuers).toHaveLength(2)
    else expect(faultsOf(trusted)).toHaveLength(1)
  })

  test.each([
    ['github', 'GitHub'],
    ['google', 'Google'],
    ['discord', 'Discord'],
    ['gitlab', 'GitLab'],
  ])('the provider %s needs an id and its client only, and has its name on the button', (id, name) => {
    const entry = { id, client_id: 'a', client_secret: 'b' }
    const { signInProviders } = parseConfig({
      SIGN_IN_PROVIDERS: JSON.stringify([entry]),
      PASSWORD_SIGN_IN: 'off',
    })
    expect(signInProviders).toEqual([{ id, name, issuer: null, clientId: 'a', clientSecret: 'b' }])
  })

  test('the secret of a provider is in no fault', () => {
    const entry = { id: 'forge', client_id: 'a', client_secret: 'not for the log' }
    expect(faultsOf({ SIGN_IN_PROVIDERS: JSON.stringify([entry]) }).join()).not.toContain('not for the log')
  })

  test('are all told together, each with an example', () => {
    const faults = faultsOf({ PORT: 'x', ROLE: 'y', DATABASE_URL: 'z' })
    expect(new Set(faults.map((fault) => fault.split(' ')[0]))).toEqual(
      new Set(['DATABASE_URL', 'PORT', 'ROLE']),
    )
    for (const fault of faults) expect(fault).toContain('for example')
  })

  test('an external database needs a SECRET_KEY', () => {
    expect(faultsOf({ DATABASE_URL: 'postgres://u:p@db/x' }).join()).toContain('SECRET_KEY is required')
    expect(faultsOf({ DATABASE_URL: 'postgres://u:p@db/x', SECRET_KEY: secret })).toEqual([])
  })

  test('a replica needs its primary', () => {
    const DATABASE_READ_URL = 'postgres://u:p@replica/x'
    expect(faultsOf({ DATABASE_READ_URL }).join()).toContain('DATABASE_READ_URL needs DATABASE_URL')
    const DATABASE_URL = 'postgres://u:p@db/x'
    expect(faultsOf({ DATABASE_URL, DATABASE_READ_URL, SECRET_KEY: secret })).toEqual([])
  })

  test('S3 needs its keys', () => {
    expect(faultsOf({ STORAGE_URL: 's3://games' }).map((fault) => fault.split(' ')[0])).toEqual([
      'AWS_ACCESS_KEY_ID',
      'AWS_SECRET_ACCESS_KEY',
    ])
  })
})

const SECRET_KEY = 's'.repeat(32)

/** Every variable that names a service, and the port that it leads to. */
const SERVICES: Record<string, [value: string, port: number]> = {
  METRICS_PORT: ['4001', 4001],
  BASE_URL: ['http://localhost:4002', 4002],
  UPLOAD_URL: ['http://localhost:4003', 4003],
  MCP_AUTH_URL: ['http://localhost:4004', 4004],
  DATABASE_URL: ['postgres://user:secret@db/playshelf', 5432],
  DATABASE_READ_URL: ['postgres://user:secret@replica:4006/playshelf', 4006],
  STORAGE_URL: ['s3://bucket?endpoint=http://127.0.0.1:4007', 4007],
  MEILI_URL: ['http://127.0.0.1:4008', 4008],
  SCANNER_URL: ['clamd://127.0.0.1', 3310],
  REDIS_URL: ['redis://127.0.0.1', 6379],
  SMTP_URL: ['smtp://127.0.0.1:4009', 4009],
  EXTSTORE_API_URL: ['http://127.0.0.1:4010', 4010],
  EXTSTORE_PARTNER_URL: ['http://127.0.0.1:4011', 4011],
  EXTSTORE_STORE_URL: ['http://127.0.0.1:4012', 4012],
  EXTSTORE_OPENID_URL: ['http://127.0.0.1:4013/login', 4013],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['http://127.0.0.1:4318', 4318],
}

test('the ports of the store and of every service it uses are found', () => {
  const env = Object.fromEntries(Object.entries(SERVICES).map(([name, [value]]) => [name, value]))
  const parsed = parseConfig({ ...env, SECRET_KEY, AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key' })
  const facts = { port: 4000, databaseUrl: parsed.databaseUrl ?? '', secretKey: SECRET_KEY }
  const ports = listServicePorts(completeConfig(parsed, facts))
  for (const [name, [, port]] of Object.entries(SERVICES))
    expect({ name, found: ports.has(port) }).toEqual({ name, found: true })
  expect(ports.has(4000)).toBe(true)
  expect(ports.has(9000)).toBe(false)
})

test('the port of the embedded database is one of them', () => {
  const facts = {
    port: 4000,
    databaseUrl: 'postgres://postgres@127.0.0.1:45678/playshelf',
    secretKey: SECRET_KEY,
  }
  expect(listServicePorts(completeConfig(parseConfig({}), facts)).has(45_678)).toBe(true)
})
