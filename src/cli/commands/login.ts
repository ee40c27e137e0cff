import { readProject } from '../api/project.ts'
import { NAME_WAIT, nameServer } from '../api/store-name.ts'
import { CliError } from '../cli-error.ts'
import { type Context, createClient, createStore, hideSecrets, type ServerFlags } from '../context.ts'
import { isGameNamed, requireServer } from '../settings/settings.ts'
import { findShelfJson } from '../settings/shelf-json.ts'
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
  const project = await readProject(createClient(context, server, credentials), game)
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
