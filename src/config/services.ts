import { resolve } from 'node:path'

import { isPlayPattern } from '../domain/play-origins.ts'
import type { ObjectStoreSettings, PaymentSettings, ScannerSettings } from '../domain/service-settings.ts'
import { type EnvReader, HTTP } from '../lib/env-reader.ts'
import { isObject } from '../lib/field-readers.ts'
import { parseJsonOrNull } from '../lib/json.ts'
import { isLoopbackHost } from '../lib/net/addresses.ts'
import type { TraceSettings } from '../lib/tracing/tracing.ts'

/** Those that the account library knows; all others are OpenID Connect issuers. */
export const KNOWN_PROVIDERS = ['github', 'google', 'discord', 'gitlab'] as const
export type KnownProvider = (typeof KNOWN_PROVIDERS)[number]

export interface SignInProvider {
  id: string
  /** On the button: Continue with … */
  name: string
  /** null for those that the account library knows. */
  issuer: string | null
  clientId: string
  clientSecret: string
}

const PROVIDERS_MAX = 10
const ID = /^[a-z0-9-]{1,32}$/
const NAMES: Readonly<Record<KnownProvider, string>> = {
  github: 'GitHub',
  google: 'Google',
  discord: 'Discord',
  gitlab: 'GitLab',
}
export const PROVIDERS_EXAMPLE =
  '[{"id":"forge","name":"Forge","issuer":"https://forge.example.org","client_id":"…","client_secret":"…"}]'

/** Calls back with each fault: `is not a JSON list`. */
export function parseProviders(text: string | null, fault: (problem: string) => void): SignInProvider[] {
  if (text === null) return []
  const list = parseJsonOrNull(text)
  if (!Array.isArray(list) || list.length > PROVIDERS_MAX) {
    fault(`is not a JSON list of at most ${PROVIDERS_MAX} providers`)
    return []
  }
  const providers = list.flatMap((entry: unknown, index) => {
    const problem = findProblem(entry)
    if (problem !== null || !isObject(entry)) {
      fault(`has an entry (number ${index + 1}) ${problem}`)
      return []
    }
    const { id, name, issuer, client_id, client_secret } = entry
    const known = isKnown(id) ? NAMES[id] : String(id)
    return [
      {
        id: String(id),
        name: typeof name === 'string' && name !== '' ? name : known,
        issuer: typeof issuer === 'string' ? issuer.replace(/\/+$/, '') : null,
        clientId: String(client_id),
        clientSecret: String(client_secret),
      },
    ]
  })
  if (new Set(providers.map(({ id }) => id)).size < providers.length) fault('names a provider twice')
  return providers
}

export function isKnown(id: unknown): id is KnownProvider {
  return KNOWN_PROVIDERS.some((known) => known === id)
}

function findProblem(entry: unknown): string | null {
  if (!isObject(entry)) return 'that is no object'
  const { id, issuer, client_id, client_secret } = entry
  if (typeof id !== 'string' || !ID.test(id) || id === 'credential') return 'without an id of a-z, 0-9 and -'
  if (typeof client_id !== 'string' || client_id === '') return 'without a client_id'
  if (typeof client_secret !== 'string' || client_secret === '') return 'without a client_secret'
  if (issuer === undefined) return isKnown(id) ? null : 'without an issuer'
  const url = typeof issuer === 'string' ? URL.parse(issuer) : null
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname))
  return isSafe ? null : 'whose issuer is not an https:// address'
}

/** Every variable the program reads. No other module reads the environment. */
export const CONFIG_VARIABLES = [
  'PORT',
  'HOST',
  'BASE_URL',
  'UPLOAD_URL',
  'MCP_AUTH_URL',
  'PLAY_URL',
  'ISSUER',
  'DATA_DIR',
  'CLI_DIR',
  'ROLE',
  'DATABASE_URL',
  'DATABASE_READ_URL',
  'DATABASE_PREPARE',
  'REUSE_PORT',
  'STORAGE_URL',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'MEILI_URL',
  'MEILI_KEY',
  'SCANNER_URL',
  'LOCAL_WEBHOOKS',
  'REDIS_URL',
  'SMTP_URL',
  'MAIL_FROM',
  'SECRET_KEY',
  'SECRET_KEY_PREVIOUS',
  'EXTSTORE_API_URL',
  'EXTSTORE_PARTNER_URL',
  'EXTSTORE_STORE_URL',
  'EXTSTORE_OPENID_URL',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'STRIPE_TAX',
  'STRIPE_API_URL',
  'TRUST_PROXY',
  'STOP_DELAY',
  'COUNTRY_HEADER',
  'TAG_MIN_PLAY_MINUTES',
  'EVENTS_PER_DAY',
  'ACCOUNT_STORAGE',
  'SAVES_PER_GAME',
  'STORAGE_RESERVE',
  'PLAY_CACHE',
  'TRUSTED_ISSUERS',
  'OPERATORS',
  'SIGN_IN_PROVIDERS',
  'PASSWORD_SIGN_IN',
  'GRACE_START',
  'LOG_LEVEL',
  'METRICS_PORT',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_SERVICE_NAME',
  'OTEL_TRACES_SAMPLER_ARG',
  'OTEL_SDK_DISABLED',
] as const

export type ConfigVariable = (typeof CONFIG_VARIABLES)[number]

type Reader = EnvReader<ConfigVariable>

export function parseStorage(read: Reader, dataDir: string): ObjectStoreSettings {
  const example = 's3://bucket?endpoint=https://s3.example.org&region=eu-1&path_style=true'
  const fallback: ObjectStoreSettings = { kind: 'folder', path: resolve(dataDir, 'objects') }
  const value = read.text('STORAGE_URL')
  if (value === null) return fallback
  if (value.startsWith('file:')) {
    const path = decodeURIComponent(value.slice('file:'.length).replace(/^\/\/(?=\/)/, ''))
    return path ? { kind: 'folder', path: resolve(path) } : fallback
  }
  const url = URL.canParse(value) ? new URL(value) : null
  if (url?.protocol !== 's3:' || !url.hostname) {
    read.fault('STORAGE_URL', 'is neither a file: nor an s3:// URL', example)
    return fallback
  }
  const endpoint = url.searchParams.get('endpoint')
  const publicEndpoint = url.searchParams.get('public_endpoint')
  for (const address of [endpoint, publicEndpoint]) {
    if (address !== null && !(URL.canParse(address) && /^https?:/.test(address))) {
      read.fault('STORAGE_URL', 'has an endpoint that is not an http(s) address', example)
    }
  }
  const accessKeyId = read.text('AWS_ACCESS_KEY_ID')
  const secretAccessKey = read.text('AWS_SECRET_ACCESS_KEY')
  if (!accessKeyId) read.fault('AWS_ACCESS_KEY_ID', 'is required when STORAGE_URL is s3://', 'AKIA…')
  if (!secretAccessKey) read.fault('AWS_SECRET_ACCESS_KEY', 'is required when STORAGE_URL is s3://', '…')
  return {
    kind: 's3',
    bucket: url.hostname,
    endpoint,
    publicEndpoint,
    region: url.searchParams.get('region') ?? 'us-east-1',
    pathStyle: url.searchParams.get('path_style') === 'true',
    accessKeyId: accessKeyId ?? '',
    secretAccessKey: secretAccessKey ?? '',
  }
}

export function parseScanner(read: Reader): ScannerSettings {
  const value = read.text('SCANNER_URL')
  if (value === null || value === 'builtin:') return { kind: 'builtin' }
  const url = URL.canParse(value) ? new URL(value) : null
  if (url?.protocol === 'clamd:' && !url.hostname && url.pathname.length > 1) {
    return { kind: 'clamd-socket', path: url.pathname }
  }
  if (url?.protocol === 'clamd:' && url.hostname) {
    return { kind: 'clamd', host: url.hostname, port: url.port ? Number(url.port) : 3310 }
  }
  read.fault('SCANNER_URL', 'is neither builtin: nor a clamd:// address', 'clamd://clamd:3310')
  return { kind: 'builtin' }
}

export function parseTraces(read: Reader): TraceSettings | null {
  const all = read.url('OTEL_EXPORTER_OTLP_ENDPOINT', HTTP, 'http://collector:4318')
  const traces = read.url('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', HTTP, 'http://collector:4318/v1/traces')
  const url = traces ?? (all ? `${all}/v1/traces` : null)
  const argument = read.text('OTEL_TRACES_SAMPLER_ARG')
  const ratio = argument === null ? 1 : Number(argument)
  if (!(ratio >= 0 && ratio <= 1)) read.fault('OTEL_TRACES_SAMPLER_ARG', 'is not a number from 0 to 1', '0.1')
  if (url === null || read.text('OTEL_SDK_DISABLED') === 'true') return null
  const headers = (read.text('OTEL_EXPORTER_OTLP_HEADERS') ?? '').split(',').flatMap((pair) => {
    const [name, ...value] = pair.split('=')
    return name && value.length > 0
      ? [[name.trim(), decodeURIComponent(value.join('=').trim())] as const]
      : []
  })
  return {
    url,
    headers: Object.fromEntries(headers),
    serviceName: read.text('OTEL_SERVICE_NAME') ?? 'playshelf',
    ratio,
  }
}

const LOCAL_ISSUER = /^http:\/\/127\.0\.0\.1(?::\d+)?(?:\/|$)/

/**
 * Issuers, written as in their tokens. One on this machine is allowed while the store runs on it too, for
 * trials.
 */
export function parseTrustedIssuers(read: Reader): string[] {
  const issuers = (read.text('TRUSTED_ISSUERS') ?? '').split(',').flatMap((part) => part.trim() || [])
  const host = read.text('HOST') ?? '127.0.0.1'
  const address =
    read.text('BASE_URL') ?? (/^(?:0\.0\.0\.0|::)$/.test(host) ? 'http://localhost' : `http://${host}`)
  const isLocal = isLoopbackHost(URL.parse(address)?.hostname ?? '')
  const isAllowed = (issuer: string) => {
    const url = URL.parse(issuer)
    if (!url || url.search || url.hash || url.username) return false
    return url.protocol === 'https:' || (isLocal && LOCAL_ISSUER.test(issuer))
  }
  if (!issuers.every(isAllowed)) {
    read.fault(
      'TRUSTED_ISSUERS',
      'is not a list of https addresses separated by commas',
      'https://git.example.org,https://ci.example.org/oidc',
    )
  }
  return issuers
}

const PLAY_EXAMPLE = 'https://*.play.example.org'

/** The pattern of the addresses at which games run in the browser. */
export function parsePlayUrl(read: Reader): string | null {
  const value = read.text('PLAY_URL')?.replace(/\/+$/, '') ?? null
  if (value === null || isPlayPattern(value)) return value
  read.fault(
    'PLAY_URL',
    'is not an http(s) address without a path whose first label has one *, which becomes the uid of the game',
    PLAY_EXAMPLE,
  )
  return null
}

const KEY_EXAMPLE = 'sk_test_…'
const WEBHOOK_EXAMPLE = 'whsec_…'

/** Null without a key: the store then sells nothing. */
export function parsePayments(read: Reader): PaymentSettings | null {
  const secretKey = read.text('STRIPE_SECRET_KEY')
  const webhookSecrets = (read.text('STRIPE_WEBHOOK_SECRET') ?? '')
    .split(',')
    .flatMap((part) => part.trim() || [])
  const tax = read.oneOf('STRIPE_TAX', ['on', 'off'], 'off') === 'on'
  const apiUrl = read.origin('STRIPE_API_URL', 'http://127.0.0.1:12111')
  if (secretKey === null) return null
  if (!/^[sr]k_(?:test|live)_\w+$/.test(secretKey))
    read.fault('STRIPE_SECRET_KEY', 'is not a secret or restricted key of Stripe', KEY_EXAMPLE)
  if (!webhookSecrets.every((secret) => /^whsec_\w+$/.test(secret)))
    read.fault(
      'STRIPE_WEBHOOK_SECRET',
      'is not a list of signing secrets separated by commas',
      WEBHOOK_EXAMPLE,
    )
  return { secretKey, webhookSecrets, tax, apiUrl }
}
