import { join } from 'node:path'

import type { Bearer } from '../api/client.ts'
import { CliError } from '../cli-error.ts'
import { type Context, createClient, createStore } from '../context.ts'
import { lock } from '../install/lock.ts'
import type { SavedPlayer } from '../settings/credentials.ts'
import { configFolder } from '../settings/folders.ts'
import { isServerOfKeys, isUnencrypted, requireServer } from '../settings/settings.ts'
import { refreshPlayer } from './oauth.ts'
import { PlayerApi } from './player-api.ts'

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
  const key = readEnvKey(context, server, flag)
  const saved = key ? null : await createStore(context).findPlayer(server)
  const bearer = key ? { bearer: key } : saved && { bearer: saved.token }
  if (bearer) {
    hide(context, saved)
    if (isUnencrypted(server))
      context.output.warn(`${server} is not encrypted: others may read the key on its way.`)
  }
  const renew = saved?.refresh ? { renew: () => renewToken(context, saved) } : {}
  return new PlayerApi(createClient(context, server, bearer, { ...patience, ...renew }), bearer !== null)
}

/** A key in the environment is for one server: others must not see it. */
function readEnvKey({ env, output }: Context, server: string, flag: string | undefined): string | null {
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
