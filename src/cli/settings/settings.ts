import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { Value, type ValueError } from '@sinclair/typebox/value'

import { ShelfFile } from '../../domain/builds/shelf-file.ts'
import { isUid } from '../../lib/ids.ts'
import { parseJson } from '../../lib/json.ts'
import { unlessMissing } from '../../lib/unless-missing.ts'
import type { Credentials } from '../api/client.ts'
import { CliError } from '../cli-error.ts'
import { type CredentialStore, isSameServer, normalizeServer } from './credentials.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** What decides where a system keeps settings and caches. */
export interface Machine {
  env: Env
  platform: NodeJS.Platform
  home: string
}

export function configFolder({ env, platform, home }: Machine): string {
  if (env.XDG_CONFIG_HOME) return join(env.XDG_CONFIG_HOME, 'shelf')
  if (platform === 'win32') return join(env.APPDATA ?? join(home, 'AppData', 'Roaming'), 'shelf')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'shelf')
  return join(home, '.config', 'shelf')
}

export function cacheFolder({ env, platform, home }: Machine): string {
  if (env.XDG_CACHE_HOME) return join(env.XDG_CACHE_HOME, 'shelf')
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? join(home, 'AppData', 'Local'), 'shelf', 'cache')
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'shelf')
  return join(home, '.cache', 'shelf')
}

export const SHELF_JSON = 'shelf.json'
const FAULTS_SHOWN = 5

export interface ShelfJson {
  /** Paths inside the file are relative to this folder. */
  folder: string
  content: ShelfFile
}

/** Reads the file of this folder or of the nearest parent that has one. */
export async function findShelfJson(cwd: string): Promise<ShelfJson | null> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const text = await unlessMissing(readFile(join(folder, SHELF_JSON), 'utf8'))
    if (text !== null) return { folder, content: parseShelfJson(text, join(folder, SHELF_JSON)) }
    if (dirname(folder) === folder) return null
  }
}

export function parseShelfJson(text: string, path: string): ShelfFile {
  let content: unknown
  try {
    content = parseJson(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CliError('usage', `${path} is not valid JSON: ${reason}.`)
  }
  if (Value.Check(ShelfFile, content)) return content
  const faults = new Map([...Value.Errors(ShelfFile, content)].map((fault) => [fault.path, describe(fault)]))
  const shown = [...faults.values()].slice(0, FAULTS_SHOWN)
  throw new CliError('usage', `${path} is not valid:\n${shown.map((fault) => `  ${fault}`).join('\n')}`, {
    hint: 'Its fields are described in the documentation and in the schema that "$schema" names.',
  })
}

/** `builds[0].os must be one of …`. */
function describe({ path, schema, message, value }: ValueError): string {
  const name =
    path
      .slice(1)
      .replaceAll(/\/(\d+)/g, '[$1]')
      .replaceAll('/', '.') || 'The file'
  if (value === undefined) return `${name} is missing.`
  const words = constantsOf(schema.anyOf)
  if (words.length > 0) return `${name} must be one of ${words.join(', ')}.`
  if (message === 'Unexpected property') return `${name} is not a known field.`
  return `${name}: ${message}.${schema.description ? ` ${schema.description}` : ''}`
}

function constantsOf(options: unknown): string[] {
  if (!Array.isArray(options)) return []
  const words = options.map((option: { const?: unknown }) => option.const)
  return words.every((word) => typeof word === 'string') ? words : []
}

interface SettingSources {
  /** From the command line. */
  flags: { server?: string | undefined; game?: string | undefined }
  env: Env
  shelfJson: ShelfJson | null
  store: CredentialStore
}

export interface Settings {
  server: string
  /** Name or uid; null if nothing says it, then the key alone decides. */
  game: string | null
  credentials: Credentials | null
  /** The environment has a key, but not for this server. */
  isKeyWithheld: boolean
}

/** Flags, then the environment, then `shelf.json`, then what `shelf login` saved. */
export async function loadSettings({ flags, env, shelfJson, store }: SettingSources): Promise<Settings> {
  const given = flags.server ?? (env.SHELF_SERVER || undefined) ?? shelfJson?.content.server ?? null
  const game = flags.game ?? shelfJson?.content.game ?? null
  const ofEnv = parseEnvCredentials(env)
  const fromEnv = ofEnv && given !== null && isServerOfKeys(env, flags.server, given) ? ofEnv : null
  const saved = fromEnv ? null : await store.find(given, game)
  const server = given ?? saved?.server ?? null
  if (server === null) {
    throw new CliError('usage', 'The server is not known.', {
      hint: 'Use --server or SHELF_SERVER, name it in shelf.json, or run "shelf login".',
    })
  }
  return {
    server: requireServer(server),
    game: game ?? saved?.game_uid ?? null,
    credentials: fromEnv ?? (saved && { accessToken: saved.access_token, secretKey: saved.secret_key }),
    isKeyWithheld: ofEnv !== null && fromEnv === null,
  }
}

/**
 * Keys of the environment are for SHELF_SERVER, or else for the server of the command line. They never go to
 * a server that is named only by a file or an address, which somebody else may have written.
 */
export function isServerOfKeys(env: Env, flag: string | undefined, server: string): boolean {
  const own = env.SHELF_SERVER || flag
  return own !== undefined && isSameServer(own, server)
}

export function requireCredentials({ credentials, server, isKeyWithheld }: Settings, env: Env): Credentials {
  if (credentials) return credentials
  if (isKeyWithheld) {
    const owner = env.SHELF_SERVER ? `is for ${env.SHELF_SERVER}` : 'does not say which server it is for'
    throw new CliError(
      'credentials',
      `The deploy key of the environment ${owner}: it is not sent to ${server}.`,
      {
        hint: `Set SHELF_SERVER=${server} if it is a key of that server.`,
      },
    )
  }
  throw new CliError('credentials', `There is no deploy key for ${server}.`, {
    hint: 'Run "shelf login", or set SHELF_ACCESS_TOKEN and SHELF_SECRET_KEY. Pipelines of a trusted publisher need none: see "shelf init --ci".',
  })
}

export function requireServer(server: string): string {
  const url = URL.canParse(server) ? new URL(server) : null
  if (url && /^https?:$/.test(url.protocol) && !url.username) return normalizeServer(server)
  throw new CliError(
    'usage',
    `"${server}" is not the address of a server. Write it as https://store.example.`,
  )
}

/** A key sent without encryption can be read on the way. */
export function isUnencrypted(server: string): boolean {
  const { protocol, hostname } = new URL(server)
  return protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}

export function isGameNamed(project: { game_uid: string; vanity_name: string }, game: string): boolean {
  return isUid(game) ? project.game_uid === game.toLowerCase() : project.vanity_name === game
}

function parseEnvCredentials(env: Env): Credentials | null {
  const [accessToken, secretKey] = [env.SHELF_ACCESS_TOKEN, env.SHELF_SECRET_KEY]
  if (accessToken && secretKey) return { accessToken, secretKey }
  if (!accessToken && !secretKey) return null
  const missing = accessToken ? 'SHELF_SECRET_KEY' : 'SHELF_ACCESS_TOKEN'
  throw new CliError('credentials', `${missing} is not set, but the other half of the deploy key is.`)
}
