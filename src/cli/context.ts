import type { UploadProject } from '../features/builds/uploads/model.ts'
import { ApiClient, type Bearer, type Credentials } from './api/client.ts'
import { fetchProject } from './api/project.ts'
import { PATIENT_MS, Retry, SHORT_MS } from './api/retry.ts'
import { exchangePipelineToken, isPipeline } from './ci.ts'
import { CliError } from './cli-error.ts'
import { CredentialStore } from './settings/credentials.ts'
import {
  cacheFolder,
  configFolder,
  type Env,
  findShelfJson,
  isGameNamed,
  isServerOfKeys,
  isUnencrypted,
  loadSettings,
  type Machine,
  requireCredentials,
  type Settings,
  type ShelfJson,
} from './settings/settings.ts'
import type { Output } from './ui/output.ts'

export interface ServerFlags {
  server?: string
  game?: string
}

/** What every command works with. */
export interface Context {
  env: Env
  cwd: string
  machine: Machine
  output: Output
  /** Fires on Ctrl-C. */
  signal: AbortSignal
  /** Hidden in everything that is printed. */
  secrets: Set<string>
  /** Ends the command with this code, although nothing failed. */
  exitWith: (code: number) => void
}

export interface Connection {
  api: ApiClient
  project: UploadProject
  settings: Settings
}

export function createStore({ machine }: Context): CredentialStore {
  return new CredentialStore(configFolder(machine))
}

export function cacheOf({ machine }: Context): string {
  return cacheFolder(machine)
}

export async function loadAllSettings(
  context: Context,
  flags: ServerFlags,
  shelfJson: ShelfJson | null,
): Promise<Settings> {
  const settings = await loadSettings({ flags, env: context.env, shelfJson, store: createStore(context) })
  if (settings.credentials) hideSecrets(context, settings.credentials)
  return settings
}

export function hideSecrets({ secrets }: Context, { accessToken, secretKey }: Credentials): void {
  secrets.add(accessToken).add(secretKey)
}

interface RetryChoice {
  /** For transfers, which may last. */
  isPatient?: boolean
  giveUpAfterMs?: number
  hint?: string
}

/** Connections to one server fail together, so further failures within this time are not reported. */
const TOLD_MS = 400

/**
 * Returns a function that makes a `Retry` for one connection. All of them report their pauses to the user.
 */
export function createRetries(
  { output, signal }: Context,
  { isPatient = false, giveUpAfterMs = isPatient ? PATIENT_MS : SHORT_MS, hint }: RetryChoice = {},
): (stop?: AbortSignal) => Retry {
  let toldAt = -TOLD_MS
  const onPause = (error: CliError, ms: number) => {
    if (performance.now() - toldAt < TOLD_MS) return
    toldAt = performance.now()
    output.note(`${error.message} Trying again in ${Math.ceil(ms / 1000)} s.`)
  }
  return (stop) =>
    new Retry({
      giveUpAfterMs,
      signal: stop ? AbortSignal.any([signal, stop]) : signal,
      ...(hint !== undefined && { hint }),
      onPause,
    })
}

export function createClient(
  context: Context,
  server: string,
  credentials: Credentials | Bearer | null,
  { renew, ...retry }: RetryChoice & { renew?: () => Promise<Credentials | Bearer> } = {},
): ApiClient {
  return new ApiClient(server, createRetries(context, retry)(), context.signal, credentials, renew)
}

interface ConnectOptions {
  shelfJson?: ShelfJson | null
  isPatient?: boolean
  hint?: string
}

/** Finds settings and key, and checks them with the server. */
export async function connect(
  context: Context,
  flags: ServerFlags,
  { shelfJson, ...options }: ConnectOptions = {},
): Promise<Connection> {
  const described = shelfJson === undefined ? await findShelfJson(context.cwd) : shelfJson
  const settings = await loadAllSettings(context, flags, described)
  const { server, game } = settings
  if (isUnencrypted(server))
    context.output.warn(`${server} is not encrypted: others may read the key on its way.`)
  const takeKey = async () => {
    const hide = (secret: string) => void context.secrets.add(secret)
    const isOwn = isServerOfKeys(context.env, flags.server, server)
    const api = createClient(context, server, null)
    const issued = await exchangePipelineToken(api, context.env, game, { hide, isOwn })
    hideSecrets(context, issued)
    return issued
  }
  const isKeyless = settings.credentials === null && !settings.isKeyWithheld && isPipeline(context.env)
  const credentials = isKeyless ? await takeKey() : requireCredentials(settings, context.env)
  const api = createClient(context, server, credentials, { ...options, ...(isKeyless && { renew: takeKey }) })
  const project = await fetchProject(api, game)
  if (game !== null && !isGameNamed(project, game)) {
    throw new CliError(
      'credentials',
      `The deploy key belongs to "${project.vanity_name}", not to "${game}".`,
      {
        hint: 'Use a key of this game, or name the other one with --game or in shelf.json.',
      },
    )
  }
  return { api, project, settings }
}
