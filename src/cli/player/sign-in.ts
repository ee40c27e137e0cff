import { hostname } from 'node:os'
import { join } from 'node:path'

import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { decodeJwt } from 'jose'

import { sha256Hex } from '../../lib/bytes/hash.ts'
import { isLoopbackHost } from '../../lib/net/addresses.ts'
import { type ApiClient, type ApiRequest, type Bearer } from '../api/client.ts'
import { ApiFailure } from '../api/retry.ts'
import { CliError } from '../cli-error.ts'
import { type Context, createClient, createStore } from '../context.ts'
import { lock } from '../install/lock.ts'
import type { SavedPlayer } from '../settings/credentials.ts'
import { configFolder, isServerOfKeys, isUnencrypted, requireServer } from '../settings/settings.ts'
import { PlayerApi, signInHint } from './player-api.ts'

const SCOPES = ['player:install', 'player:read', 'player:library', 'offline_access']
/** Asked for where the store has it. */
const SAVES_SCOPE = 'player:saves'
/** How long the browser may take. */
const SIGN_IN_MS = 10 * 60_000

const ServerMetadata = Type.Object({
  authorization_endpoint: Type.String(),
  token_endpoint: Type.String(),
  registration_endpoint: Type.String(),
  scopes_supported: Type.Optional(Type.Array(Type.String())),
})
const ResourceMetadata = Type.Object({ resource: Type.String() })
const Registration = Type.Object({ client_id: Type.String() })
const Tokens = Type.Object({ access_token: Type.String(), refresh_token: Type.Optional(Type.String()) })

/** Signs in by the browser: a code with PKCE, sent to an address on this machine (RFC 8252). */
export async function signInByBrowser(api: ApiClient, show: (address: string) => void): Promise<SavedPlayer> {
  const well = (name: string) => `/.well-known/${name}`
  const metadata = await ask(api, ServerMetadata, well('oauth-authorization-server'), {})
  const scopes = metadata.scopes_supported?.includes(SAVES_SCOPE) ? [...SCOPES, SAVES_SCOPE] : SCOPES
  const scope = scopes.join(' ')
  const { resource } = await ask(api, ResourceMetadata, well('oauth-protected-resource'), {})
  const { verifier, challenge } = createPkcePair()
  const state = createSecret()
  await using listener = listenForCode(state)
  const { client_id } = await ask(api, Registration, metadata.registration_endpoint, {
    method: 'POST',
    json: {
      client_name: `shelf on ${hostname()}`.slice(0, 60),
      redirect_uris: [listener.address],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope,
    },
  })
  const address = new URL(requireSafeAddress(api.server, metadata.authorization_endpoint))
  const query = {
    response_type: 'code',
    client_id,
    redirect_uri: listener.address,
    scope,
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    resource,
  }
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
  show(address.href)
  const code = await listener.wait(AbortSignal.any([api.signal, AbortSignal.timeout(SIGN_IN_MS)]))
  const fields = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: listener.address,
    client_id,
    code_verifier: verifier,
    resource,
  }
  const token_url = metadata.token_endpoint
  const tokens = await ask(api, Tokens, token_url, { method: 'POST', body: new URLSearchParams(fields) })
  return toPlayer(api.server, tokens, { client_id, token_url, resource, token: '' })
}

/** Gets a new token for one that has expired. */
async function refreshPlayer(api: ApiClient, player: SavedPlayer): Promise<SavedPlayer> {
  const { refresh } = player
  if (!refresh)
    throw new CliError('credentials', 'The player key is not valid any more.', signInHint(player.server))
  const { token: refresh_token, client_id, resource } = refresh
  const fields = { grant_type: 'refresh_token', refresh_token, client_id, resource }
  try {
    const request = { method: 'POST', body: new URLSearchParams(fields) } as const
    return toPlayer(player.server, await ask(api, Tokens, refresh.token_url, request), refresh)
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.status >= 500) throw error
    throw new CliError('credentials', 'You are not signed in any more.', signInHint(player.server))
  }
}

function toPlayer(
  server: string,
  { access_token, refresh_token }: Static<typeof Tokens>,
  refresh: NonNullable<SavedPlayer['refresh']>,
): SavedPlayer {
  return { server, token: access_token, refresh: { ...refresh, token: refresh_token ?? refresh.token } }
}

/** Paths of the server, or addresses that it named. */
async function ask<Schema extends TSchema>(
  api: ApiClient,
  schema: Schema,
  address: string,
  request: ApiRequest,
): Promise<Static<Schema>> {
  const isPath = address.startsWith('/')
  const url = isPath ? null : new URL(requireSafeAddress(api.server, address))
  const base = url ? { base: url.origin } : {}
  const answer = await api.call(url ? url.pathname : address, { ...request, ...base, isPlain: true })
  if (Value.Check(schema, answer)) return answer
  throw new CliError('refused', 'The server does not offer to sign in by the browser.', {
    hint: 'Use a player key: "shelf signin --key-stdin".',
  })
}

/**
 * Refuses addresses that are not http(s). Allows unencrypted ones only on this machine, or if the server
 * itself is unencrypted.
 */
function requireSafeAddress(server: string, address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null
  const isEncrypted = url?.protocol === 'https:'
  const isPlain = url?.protocol === 'http:' && (isLoopbackHost(url.hostname) || server.startsWith('http:'))
  if (url && (isEncrypted || isPlain)) return address
  throw new CliError('refused', `The server names an address for signing in that is not safe: ${address}.`)
}

function createSecret(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
}

function createPkcePair(): { verifier: string; challenge: string } {
  const verifier = createSecret()
  return { verifier, challenge: new Bun.CryptoHasher('sha256').update(verifier).digest('base64url') }
}

interface CodeListener extends AsyncDisposable {
  address: string
  wait(signal: AbortSignal): Promise<string>
}

/** Receives the browser once it comes back. Requests without the state of this sign-in are ignored. */
function listenForCode(state: string): CodeListener {
  const received = Promise.withResolvers<string>()
  received.promise.catch(() => undefined)
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    development: false,
    reusePort: false,
    fetch(request) {
      const { pathname, searchParams } = new URL(request.url)
      if (pathname !== '/callback' || searchParams.get('state') !== state)
        return new Response('Not found', { status: 404 })
      const code = searchParams.get('code')
      if (code) received.resolve(code)
      else received.reject(new CliError('credentials', 'Access was not allowed in the browser.'))
      const text = code ? 'You are signed in. You can close this page.' : 'Access was not allowed.'
      return new Response(text, {
        headers: { 'content-type': 'text/plain; charset=utf-8', connection: 'close' },
      })
    },
  })
  return {
    address: `http://127.0.0.1:${server.port}/callback`,
    async wait(signal) {
      const aborted = Promise.withResolvers<never>()
      const onAbort = () => aborted.reject(new CliError('credentials', 'Nobody signed in within 10 minutes.'))
      signal.addEventListener('abort', onAbort, { once: true })
      return await Promise.race([received.promise, aborted.promise])
    },
    async [Symbol.asyncDispose]() {
      await server.stop()
    },
  }
}

/** Flags, then the environment, then where the player signed in. */
export async function findServer(context: Context, given: string | null | undefined): Promise<string> {
  const named = given ?? (context.env.SHELF_SERVER || null)
  const server = named ?? (await createStore(context).findPlayer(null))?.server
  if (server) return requireServer(server)
  throw new CliError('usage', 'The server is not known.', {
    hint: 'Use --server or SHELF_SERVER, give the address of the store page, or run "shelf signin".',
  })
}

interface ConnectOptions {
  isPatient?: boolean
  giveUpAfterMs?: number
  /** The server of the command line. */
  flag?: string | undefined
}

/** The API of a server, with what the player signed in with; without where they did not. */
export async function connectPlayer(
  context: Context,
  server: string,
  { flag, ...patience }: ConnectOptions = { isPatient: true },
): Promise<PlayerApi> {
  const key = parseEnvKey(context, server, flag)
  const saved = key ? null : await createStore(context).findPlayer(server)
  const bearer = key ? { bearer: key } : saved && { bearer: saved.token }
  if (bearer) {
    hide(context, saved)
    if (isUnencrypted(server))
      context.output.warn(`${server} is not encrypted: others may read the key on its way.`)
  }
  const renew = saved?.refresh ? { renew: () => renewToken(context, saved) } : {}
  const client = createClient(context, server, bearer, { ...patience, ...renew })
  const account = bearer && accountOf(bearer.bearer, saved?.refresh?.client_id)
  return new PlayerApi(client, bearer !== null, account)
}

/** Tells accounts apart without keeping their keys. */
function accountOf(bearer: string, signIn: string | undefined): string {
  return sha256Hex(parseSubject(bearer) ?? signIn ?? bearer)
}

function parseSubject(token: string): string | null {
  try {
    return decodeJwt(token).sub ?? null
  } catch {
    // Keys are no tokens.
    return null
  }
}

/** A key in the environment is for one server: others must not see it. */
function parseEnvKey({ env, output }: Context, server: string, flag: string | undefined): string | null {
  const { SHELF_PLAYER_KEY: key, SHELF_SERVER: own = '' } = env
  if (!key) return null
  if (isServerOfKeys(env, flag, server)) return key
  if (own !== '') {
    output.note(`SHELF_PLAYER_KEY is for ${own}: it is not sent to ${server}.`)
    return null
  }
  throw new CliError('usage', 'SHELF_PLAYER_KEY is set, but not the server that it is for.', {
    hint: `Set SHELF_SERVER=${server} if it is a key of that server.`,
  })
}

/** Each token to refresh works once, so commands at the same time take turns. */
async function renewToken(context: Context, used: SavedPlayer): Promise<Bearer> {
  const { signal, machine } = context
  using held = new DisposableStack()
  held.use(await lock(join(configFolder(machine), 'signin.lock'), { signal, onWait: () => undefined }))
  const store = createStore(context)
  const saved = await store.findPlayer(used.server)
  if (saved && saved.token !== used.token) {
    hide(context, saved)
    return { bearer: saved.token }
  }
  const renewed = await refreshPlayer(createClient(context, used.server, null), used)
  hide(context, renewed)
  await store.savePlayer(renewed)
  return { bearer: renewed.token }
}

export function hide({ secrets }: Context, player: SavedPlayer | null): void {
  if (!player) return
  secrets.add(player.token)
  if (player.refresh) secrets.add(player.refresh.token)
}
