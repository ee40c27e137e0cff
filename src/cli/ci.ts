import { parseJson } from '../lib/json.ts'
import type { ApiClient, Credentials } from './api/client.ts'
import { CliError } from './cli-error.ts'
import type { Env } from './settings/folders.ts'

const TIMEOUT_MS = 30_000

interface IssuedKey {
  access_token: string
  secret_key: string
}

/** Whether this is a pipeline that can prove who it is. */
export function isPipeline(env: Env): boolean {
  return Boolean(
    env.SHELF_ID_TOKEN || (env.ACTIONS_ID_TOKEN_REQUEST_URL && env.ACTIONS_ID_TOKEN_REQUEST_TOKEN),
  )
}

/** Exchanges the pipeline's own token for a deploy key of a quarter of an hour. */
export async function exchangePipelineToken(
  api: ApiClient,
  env: Env,
  game: string | null,
  hide: (secret: string) => void,
): Promise<Credentials> {
  if (game === null) {
    throw new CliError('usage', 'The game is not known.', { hint: 'Use --game, or name it in shelf.json.' })
  }
  const token = env.SHELF_ID_TOKEN || (await requestGithubToken(env, api))
  hide(token)
  const { access_token, secret_key } = await api.call<IssuedKey>('/api/v1/tool/upload/token', {
    method: 'POST',
    json: { game, token },
  })
  return { accessToken: access_token, secretKey: secret_key }
}

/** GitHub issues a token for the audience that the job names: the store, and nobody else. */
async function requestGithubToken(env: Env, { server, signal }: ApiClient): Promise<string> {
  const url = new URL(env.ACTIONS_ID_TOKEN_REQUEST_URL ?? '')
  url.searchParams.set('audience', server)
  try {
    const answer = await fetch(url, {
      headers: { authorization: `Bearer ${env.ACTIONS_ID_TOKEN_REQUEST_TOKEN}`, accept: 'application/json' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      redirect: 'manual',
    })
    const content = answer.ok ? parseJson(await answer.text()) : null
    if (
      typeof content === 'object' &&
      content !== null &&
      'value' in content &&
      typeof content.value === 'string'
    )
      return content.value
    throw new Error(`it answered ${answer.status}`)
  } catch (cause) {
    signal.throwIfAborted()
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new CliError('credentials', `GitHub Actions issued no token: ${reason}.`, {
      hint: 'Give the job "permissions: id-token: write".',
      cause,
    })
  }
}
