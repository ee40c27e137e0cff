import { isUid } from '../../lib/ids.ts'
import type { Credentials } from '../api/client.ts'
import { CliError } from '../cli-error.ts'
import { type CredentialStore, isSameServer, normalizeServer } from './credentials.ts'
import type { Env } from './folders.ts'
import type { ShelfJson } from './shelf-json.ts'

export interface SettingSources {
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
export async function readSettings({ flags, env, shelfJson, store }: SettingSources): Promise<Settings> {
  const given = flags.server ?? (env.SHELF_SERVER || undefined) ?? shelfJson?.content.server ?? null
  const game = flags.game ?? shelfJson?.content.game ?? null
  const ofEnv = readEnvCredentials(env)
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
 * Keys of the environment are for SHELF_SERVER, or else for the server of the command line. A file or an address that
 * somebody else wrote does not decide where they go.
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

function readEnvCredentials(env: Env): Credentials | null {
  const [accessToken, secretKey] = [env.SHELF_ACCESS_TOKEN, env.SHELF_SECRET_KEY]
  if (accessToken && secretKey) return { accessToken, secretKey }
  if (!accessToken && !secretKey) return null
  const missing = accessToken ? 'SHELF_SECRET_KEY' : 'SHELF_ACCESS_TOKEN'
  throw new CliError('credentials', `${missing} is not set, but the other half of the deploy key is.`)
}
