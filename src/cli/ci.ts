import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { decodeJwt } from 'jose'

import { parseJson } from '../lib/json.ts'
import { type ApiClient, type Credentials, ENCODINGS, readText } from './api/client.ts'
import { CliError } from './cli-error.ts'
import { isSameServer } from './settings/credentials.ts'
import type { Env } from './settings/settings.ts'

const TIMEOUT_MS = 30_000
/** A token has a few kilobytes. */
const ANSWER_BYTES_MAX = 1024 ** 2

const IssuedKey = Type.Object({ access_token: Type.String(), secret_key: Type.String() })

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
  { hide, isOwn }: { hide: (secret: string) => void; isOwn: boolean },
): Promise<Credentials> {
  if (game === null) {
    throw new CliError('usage', 'The game is not known.', { hint: 'Use --game, or name it in shelf.json.' })
  }
  if (env.SHELF_ID_TOKEN && !isOwn) requireAudience(env.SHELF_ID_TOKEN, api.server)
  const token = env.SHELF_ID_TOKEN || (await requestGithubToken(env, api))
  hide(token)
  const issued = await api.call('/api/v1/tool/upload/token', { method: 'POST', json: { game, token } })
  if (!Value.Check(IssuedKey, issued))
    throw new CliError('refused', `${api.server} issued no deploy key for this pipeline.`)
  return { accessToken: issued.access_token, secretKey: issued.secret_key }
}

/** A token proves the identity of the pipeline, so only the store that it was issued for may receive it. */
function requireAudience(token: string, server: string): void {
  const audiences = parseAudiences(token)
  if (audiences.some((audience) => isSameServer(audience, server))) return
  const named = audiences.length === 0 ? 'names no audience' : `is for ${audiences.join(', ')}`
  throw new CliError('credentials', `SHELF_ID_TOKEN ${named}: it is not sent to ${server}.`, {
    hint: `Let the job ask for a token with the audience ${server}, or set SHELF_SERVER.`,
  })
}

function parseAudiences(token: string): string[] {
  try {
    return [decodeJwt(token).aud ?? []].flat()
  } catch {
    return []
  }
}

/** Requests a token whose audience is this store and nobody else. */
async function requestGithubToken(env: Env, { server, signal }: ApiClient): Promise<string> {
  const url = new URL(env.ACTIONS_ID_TOKEN_REQUEST_URL ?? '')
  url.searchParams.set('audience', server)
  try {
    const answer = await fetch(url, {
      headers: {
        authorization: `Bearer ${env.ACTIONS_ID_TOKEN_REQUEST_TOKEN}`,
        accept: 'application/json',
        'accept-encoding': ENCODINGS,
      },
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      redirect: 'manual',
      decompress: false,
    })
    const content = answer.ok ? parseJson(await readText(answer, ANSWER_BYTES_MAX)) : null
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
