import { fetchProject, NAME_WAIT, nameServer } from '../api/project.ts'
import { CliError } from '../cli-error.ts'
import { type Context, createClient, createStore, hideSecrets, type ServerFlags } from '../context.ts'
import { PlayerApi } from '../player/player-api.ts'
import { findServer, hide, signInByBrowser } from '../player/sign-in.ts'
import { findShelfJson, isGameNamed, isUnencrypted, requireServer } from '../settings/settings.ts'
import { ask, askSecret, readLines } from '../ui/prompt.ts'

export async function login(
  context: Context,
  { stdin, ...flags }: ServerFlags & { stdin?: boolean },
): Promise<void> {
  const { env, cwd, output, signal } = context
  const shelfJson = await findShelfJson(cwd)
  const known = flags.server ?? (env.SHELF_SERVER || undefined) ?? shelfJson?.content.server
  if (known === undefined && stdin) {
    throw new CliError('usage', 'The server is not known.', {
      hint: 'Use --server, SHELF_SERVER or shelf.json.',
    })
  }
  const isAsked = !stdin && flags.server === undefined
  const server = requireServer(isAsked ? await ask(signal, 'Server', known) : (known ?? ''))
  const game = flags.game ?? shelfJson?.content.game ?? null
  const [accessToken = '', secretKey = ''] = stdin
    ? await readLines(2)
    : [await askSecret(signal, 'Access token'), await askSecret(signal, 'Secret key')]
  if (accessToken === '' || secretKey === '') {
    throw new CliError('credentials', 'The access token and the secret key are needed, one per line.', {
      hint: 'Issue a deploy key on the page of your game; both halves are shown once.',
    })
  }
  const credentials = { accessToken, secretKey }
  hideSecrets(context, credentials)
  const project = await fetchProject(createClient(context, server, credentials), game)
  if (game !== null && !isGameNamed(project, game)) {
    throw new CliError(
      'credentials',
      `This deploy key belongs to "${project.vanity_name}", not to "${game}".`,
    )
  }
  const { game_uid, vanity_name, name } = project
  const store = createStore(context)
  await store.save({ server, game_uid, game: vanity_name, access_token: accessToken, secret_key: secretKey })
  output.result(
    `Logged in to ${name} (${vanity_name}) on ${await nameServer(createClient(context, server, null, NAME_WAIT), server)}.`,
  )
  output.json({ server, game_uid, game: vanity_name })
}

/** Forgets the keys of the server and game; of all without either. */
export async function logout(context: Context, flags: ServerFlags): Promise<void> {
  const shelfJson = await findShelfJson(context.cwd)
  const server = flags.server ?? (context.env.SHELF_SERVER || undefined) ?? shelfJson?.content.server ?? null
  const game = flags.game ?? shelfJson?.content.game ?? null
  const removed = await createStore(context).remove(server, game)
  context.output.result(removed === 0 ? 'There was nothing to forget.' : `Logged out (${removed}).`)
  context.output.json({ removed })
}

const COMMANDS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Without a browser, the user has to open the printed address. */
function openBrowser(address: string, platform: NodeJS.Platform): void {
  const [program = '', ...args] = COMMANDS[platform] ?? ['xdg-open']
  if (Bun.which(program) === null) return
  Bun.spawn([program, ...args, address], { stdio: ['ignore', 'ignore', 'ignore'] }).unref()
}

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
