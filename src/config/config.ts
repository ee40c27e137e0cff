import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { type ExternalStoreUrls, STEAM } from '../domain/external-store.ts'
import { matchesPlayPattern } from '../domain/play-origins.ts'
import type {
  MailSettings,
  ObjectStoreSettings,
  PaymentSettings,
  ScannerSettings,
} from '../domain/service-settings.ts'
import { createEnvReader, type Environment, HTTP, POSTGRES } from '../lib/env-reader.ts'
import { LOG_THRESHOLDS, type LogThreshold } from '../lib/log.ts'
import { isLoopbackHost } from '../lib/net/addresses.ts'
import type { TraceSettings } from '../lib/tracing/tracing.ts'
import { unlessMissing } from '../lib/unless-missing.ts'
import {
  type ConfigVariable,
  parsePayments,
  parsePlayUrl,
  parseProviders,
  parseScanner,
  parseStorage,
  parseTraces,
  parseTrustedIssuers,
  PROVIDERS_EXAMPLE,
  type SignInProvider,
} from './services.ts'

const ROLES = ['all', 'api', 'upload', 'worker'] as const
export type Role = (typeof ROLES)[number]

/** The parsed environment. `completeConfig` adds the values that are only known at start. */
export interface ParsedConfig {
  host: string
  /** The host in addresses that are not set. */
  namedHost: string
  port: number
  /** Whether other processes may listen on the same port, so that the kernel shares the connections out. */
  reusePort: boolean
  /** null: derived from host and port (PORT=0 picks a free one). */
  baseUrl: string | null
  uploadUrl: string | null
  mcpAuthUrl: string | null
  /**
   * The pattern of play origins, `*` stands for the uid of the game; null: games cannot be played in the
   * browser.
   */
  playUrl: string | null
  issuer: string | null
  dataDir: string
  /** The folder with the binaries of the uploader that the store offers to its developers. */
  cliDir: string
  role: Role
  /** null: the embedded Postgres under `dataDir`. */
  databaseUrl: string | null
  /** A streaming replica of that database, for public reads; null: there is none. */
  databaseReadUrl: string | null
  /** false: for connection poolers that lose prepared statements. */
  databasePrepare: boolean
  storage: ObjectStoreSettings
  meili: { url: string; key: string | null } | null
  scanner: ScannerSettings
  /** Whether webhooks may go to this machine; null: only while `baseUrl` is a loopback address. */
  localWebhooks: boolean | null
  redisUrl: string | null
  mail: MailSettings
  /** null: generated once and stored under `dataDir`. */
  secretKey: string | null
  secretKeyPrevious: string | null
  extstore: ExternalStoreUrls
  /** null: nothing is sold. */
  payments: PaymentSettings | null
  trustProxy: number
  /** Seconds between SIGTERM, when /ready turns 503, and the first refused connection. */
  stopDelay: number
  /** The header in which a proxy sends the visitor's country; null: no proxy does. */
  countryHeader: string | null
  tagMinPlayMinutes: number
  /** Events and crash reports that a game may send in a day; other daily quotas follow from it. */
  eventsPerDay: number
  /** Bytes that the listings of one account may store, unless an operator set another limit. */
  accountStorage: number
  /** Bytes that the saves of a player may have in one game. */
  savesPerGame: number
  /** Bytes that stay free on the disk of the object folder: with less, uploads are refused. */
  storageReserve: number
  /** Bytes of large files of games that a process keeps on the disk of `dataDir`, ready to be sent; 0: none. */
  playCache: number
  graceStart: string | null
  /** Issuers whose pipelines may be trusted publishers, besides GitHub's and GitLab's own. */
  trustedIssuers: readonly string[]
  /** E-mail addresses in lowercase; verified accounts with them run the store. */
  operators: readonly string[]
  /** External services that people can sign in with. */
  signInProviders: readonly SignInProvider[]
  /** false: people sign in with providers and passkeys only. */
  passwordSignIn: boolean
  logLevel: LogThreshold
  metricsPort: number | null
  traces: TraceSettings | null
}

type ResolvedAtStart = 'baseUrl' | 'uploadUrl' | 'mcpAuthUrl' | 'issuer' | 'databaseUrl' | 'secretKey'

/** Complete, and plain data, so that it can be copied to a worker thread. */
export type Config = Omit<ParsedConfig, ResolvedAtStart | 'localWebhooks'> &
  Record<ResolvedAtStart, string> & { localWebhooks: boolean }

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'))
  }
}

/** Reads the whole environment; throws one `ConfigError` that lists every invalid value. */
export function parseConfig(env: Environment): ParsedConfig {
  const faults: string[] = []
  const read = createEnvReader<ConfigVariable>(env, faults)

  const dataDir = resolve(read.text('DATA_DIR') ?? './.data')
  const databaseUrl = read.url('DATABASE_URL', POSTGRES, 'postgres://user:secret@db:5432/playshelf')
  const readExample = 'postgres://user:secret@replica:5432/playshelf'
  const databaseReadUrl = read.url('DATABASE_READ_URL', POSTGRES, readExample)
  if (databaseReadUrl && !databaseUrl) {
    read.fault('DATABASE_READ_URL', 'needs DATABASE_URL, the primary of that replica', readExample)
  }
  const secretKey = read.secret('SECRET_KEY')
  if (databaseUrl && !read.text('SECRET_KEY')) {
    faults.push(
      'SECRET_KEY is required when DATABASE_URL is set: at least 32 random characters, for example from `openssl rand -base64 48`',
    )
  }
  const signInProviders = parseProviders(read.text('SIGN_IN_PROVIDERS'), (problem) =>
    read.fault('SIGN_IN_PROVIDERS', problem, PROVIDERS_EXAMPLE),
  )
  const passwordSignIn = read.oneOf('PASSWORD_SIGN_IN', ['on', 'off'], 'on') === 'on'
  if (!passwordSignIn && signInProviders.length === 0) {
    read.fault('PASSWORD_SIGN_IN', 'is off, but SIGN_IN_PROVIDERS names nobody to sign in by', 'on')
  }
  const meiliUrl = read.url('MEILI_URL', HTTP, 'http://meilisearch:7700')

  const host = read.text('HOST') ?? '127.0.0.1'

  const config: ParsedConfig = {
    host,
    namedHost: ['0.0.0.0', '::', ''].includes(host) ? 'localhost' : host,
    port: read.integer('PORT', 8080, 0, 65_535),
    reusePort: read.oneOf('REUSE_PORT', ['on', 'off'], 'off') === 'on',
    baseUrl: read.origin('BASE_URL', 'https://games.example.org'),
    uploadUrl: read.origin('UPLOAD_URL', 'https://upload.games.example.org'),
    mcpAuthUrl: read.origin('MCP_AUTH_URL', 'https://games.example.org'),
    playUrl: parsePlayUrl(read),
    issuer: read.text('ISSUER'),
    dataDir,
    cliDir: resolve(read.text('CLI_DIR') ?? resolve(dataDir, 'cli')),
    role: read.oneOf('ROLE', ROLES, 'all'),
    databaseUrl,
    databaseReadUrl,
    databasePrepare: read.oneOf('DATABASE_PREPARE', ['on', 'off'], 'on') === 'on',
    storage: parseStorage(read, dataDir),
    meili: meiliUrl ? { url: meiliUrl, key: read.text('MEILI_KEY') } : null,
    scanner: parseScanner(read),
    localWebhooks:
      read.text('LOCAL_WEBHOOKS') === null
        ? null
        : read.oneOf('LOCAL_WEBHOOKS', ['on', 'off'], 'off') === 'on',
    redisUrl: read.url('REDIS_URL', ['redis:', 'rediss:'], 'redis://redis:6379'),
    mail: {
      smtpUrl: read.url('SMTP_URL', ['smtp:', 'smtps:'], 'smtp://user:secret@mail:587'),
      from: read.text('MAIL_FROM') ?? 'no-reply@localhost',
      folder: resolve(dataDir, 'mail'),
    },
    secretKey,
    secretKeyPrevious: read.secret('SECRET_KEY_PREVIOUS'),
    extstore: {
      apiUrl: read.url('EXTSTORE_API_URL', HTTP, STEAM.apiUrl) ?? STEAM.apiUrl,
      partnerUrl: read.url('EXTSTORE_PARTNER_URL', HTTP, STEAM.partnerUrl) ?? STEAM.partnerUrl,
      storeUrl: read.url('EXTSTORE_STORE_URL', HTTP, STEAM.storeUrl) ?? STEAM.storeUrl,
      openidUrl: read.url('EXTSTORE_OPENID_URL', HTTP, STEAM.openidUrl) ?? STEAM.openidUrl,
    },
    payments: parsePayments(read),
    trustProxy: read.integer('TRUST_PROXY', 0, 0, 10),
    stopDelay: read.integer('STOP_DELAY', 0, 0, 60),
    countryHeader: read.headerName('COUNTRY_HEADER', 'CF-IPCountry'),
    tagMinPlayMinutes: read.integer('TAG_MIN_PLAY_MINUTES', 60, 0, 100_000),
    eventsPerDay: read.integer('EVENTS_PER_DAY', 5_000_000, 1, 1_000_000_000),
    accountStorage: read.bytes('ACCOUNT_STORAGE', '50 GB'),
    savesPerGame: read.bytes('SAVES_PER_GAME', '200 MB'),
    storageReserve: read.bytes('STORAGE_RESERVE', '2 GB'),
    playCache: read.bytes('PLAY_CACHE', '1 GB'),
    graceStart: read.date('GRACE_START'),
    trustedIssuers: parseTrustedIssuers(read),
    operators: read.emails('OPERATORS'),
    signInProviders,
    passwordSignIn,
    logLevel: read.oneOf('LOG_LEVEL', LOG_THRESHOLDS, 'info'),
    metricsPort: read.text('METRICS_PORT') === null ? null : read.integer('METRICS_PORT', 0, 0, 65_535),
    traces: parseTraces(read),
  }
  if (faults.length > 0) throw new ConfigError(faults)
  return config
}

/**
 * Replaces loopback addresses by `localhost`, for a store on one's own machine: passkeys need a name, and
 * people type this one.
 */
export function namedLocalhost(parsed: ParsedConfig): ParsedConfig {
  return isLoopbackHost(hostInUrl(parsed.namedHost)) ? { ...parsed, namedHost: 'localhost' } : parsed
}

function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

interface StartFacts {
  port: number
  databaseUrl: string
  secretKey: string
}

/** The public addresses default to the listener's address. */
export function completeConfig(parsed: ParsedConfig, facts: StartFacts): Config {
  const baseUrl = parsed.baseUrl ?? `http://${hostInUrl(parsed.namedHost)}:${facts.port}`
  const uploadUrl = parsed.uploadUrl ?? baseUrl
  const mcpAuthUrl = parsed.mcpAuthUrl ?? baseUrl
  return {
    ...parsed,
    ...facts,
    baseUrl,
    uploadUrl,
    mcpAuthUrl,
    playUrl: choosePlayUrl(
      parsed.playUrl,
      { BASE_URL: baseUrl, UPLOAD_URL: uploadUrl, MCP_AUTH_URL: mcpAuthUrl },
      facts.port,
    ),
    issuer: parsed.issuer ?? baseUrl,
    localWebhooks: parsed.localWebhooks ?? isLoopbackHost(new URL(baseUrl).hostname),
  }
}

/** The pattern must not match an address of the store: scripts of games would run there with its cookies. */
function choosePlayUrl(given: string | null, own: Record<string, string>, port: number): string | null {
  const pattern = given ?? `http://*.localhost:${port}`
  const matched = Object.keys(own).find((name) => matchesPlayPattern(pattern, own[name] ?? ''))
  if (given === null) {
    const isLocal = isLoopbackHost(new URL(own.BASE_URL ?? '').hostname)
    return isLocal && matched === undefined ? pattern : null
  }
  if (matched === undefined) return given
  throw new ConfigError([
    `PLAY_URL (${given}) also matches ${matched} (${own[matched]}), where no game may run: choose a pattern of other hosts, for example PLAY_URL=https://*.play.example.org`,
  ])
}

const NAME = 'secret-key'

/** The SECRET_KEY of an installation on embedded defaults: generated once, readable by its owner only. */
export async function readOrCreateSecretKey(dataDir: string): Promise<string> {
  const path = join(dataDir, NAME)
  const known = await unlessMissing(readFile(path, 'utf8'))
  if (known) return known.trim()
  await mkdir(dataDir, { recursive: true })
  const draft = `${path}.${process.pid}`
  await writeFile(draft, randomBytes(48).toString('base64url'), { mode: 0o600 })
  // Linking fails if the file exists: when two processes start at once, one wins and both use its key.
  try {
    await link(draft, path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    await unlink(draft)
  }
  return (await readFile(path, 'utf8')).trim()
}

/** For a restored installation; there must not be another key. Returns the path of its file. */
export async function writeSecretKey(dataDir: string, key: string): Promise<string> {
  const path = join(dataDir, NAME)
  await writeFile(path, key, { mode: 0o600, flag: 'wx' })
  return path
}

/** Ports of addresses that do not name one. */
const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  'http:': 80,
  'https:': 443,
  'postgres:': 5432,
  'postgresql:': 5432,
  'redis:': 6379,
  'rediss:': 6379,
  'smtp:': 587,
  'smtps:': 465,
}

/**
 * The ports of the store and of every service it uses. Reads the whole configuration, whatever its settings are
 * called, so that a new service is included.
 */
export function listServicePorts(config: Config): ReadonlySet<number> {
  return new Set(portsIn('', config))
}

function portsIn(name: string, value: unknown): number[] {
  if (typeof value === 'number') return /port$/i.test(name) ? [value] : []
  if (typeof value === 'string') return portsOfAddress(value)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) => portsIn(key, part))
}

function portsOfAddress(text: string): number[] {
  const url = URL.parse(text)
  const port = url && (Number(url.port) || DEFAULT_PORTS[url.protocol])
  return port ? [port] : []
}
