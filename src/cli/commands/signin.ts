import { NAME_WAIT, nameServer } from '../api/store-name.ts'
import { CliError } from '../cli-error.ts'
import { type Context, createClient, createStore } from '../context.ts'
import { findServer, hide } from '../player/connect.ts'
import { signInByBrowser } from '../player/oauth.ts'
import { PlayerApi } from '../player/player-api.ts'
import { isUnencrypted } from '../settings/settings.ts'
import { openBrowser } from '../ui/open-browser.ts'
import { readLines } from '../ui/prompt.ts'

interface SignInOptions {
  server?: string
  keyStdin?: boolean
  /** False with `--no-browser`. */
  browser?: boolean
}

/** Signs a player in: by the browser, or with a key. */
export async function signin(
  context: Context,
  { server: given, keyStdin = false, browser = true }: SignInOptions,
): Promise<void> {
  const { output } = context
  const server = await findServer(context, given)
  if (isUnencrypted(server)) output.warn(`${server} is not encrypted: others may read the key on its way.`)
  const player = keyStdin
    ? { server, token: await readKey(), refresh: null }
    : await signInByBrowser(createClient(context, server, null), (address) => {
        output.note(`Open this address in a browser on this machine, and allow access:\n${address}`)
        if (browser) openBrowser(address, context.machine.platform)
      })
  hide(context, player)
  await new PlayerApi(createClient(context, server, { bearer: player.token }), true).check()
  await createStore(context).savePlayer(player)
  output.result(`Signed in to ${await nameServer(createClient(context, server, null, NAME_WAIT), server)}.`)
  output.json({ server })
}

/** Forgets the player of the server; of all without one. */
export async function signout(context: Context, { server }: { server?: string }): Promise<void> {
  const removed = await createStore(context).removePlayers(server ?? (context.env.SHELF_SERVER || null))
  context.output.result(
    removed.length === 0
      ? 'There was nothing to forget.'
      : `Signed out of ${removed.map((player) => player.server).join(', ')}.`,
  )
  context.output.json({ removed: removed.length })
}

async function readKey(): Promise<string> {
  const [key = ''] = await readLines(1)
  if (key !== '') return key
  throw new CliError('credentials', 'A player key is needed on standard input.', {
    hint: 'Create one on your account page, with the permission to install.',
  })
}
