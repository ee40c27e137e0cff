import { SaveError, type SdkFacts } from './types.ts'

/** What the page around the game answers when a new token is asked for. */
export interface Pass {
  token?: string
  /** The player, or the game's developer, has ended it. */
  refused?: boolean
}

export interface ApiParts {
  facts: SdkFacts
  token: string | undefined
  renew(): Promise<Pass>
}

const REFUSED = new Set([401, 402, 403])
const AWAY = new Set([401, 408, 429])

interface Call {
  method?: string
  headers?: Record<string, string>
  body?: ArrayBuffer
}

/** The store could not be asked, or is too busy. */
export class Away extends Error {
  constructor(readonly ms?: number) {
    super('The store cannot be reached. Saves wait in this browser until it can.')
  }
}

/** Calls of the store, with the token of the visit. */
export function createSavesApi({ facts, ...parts }: ApiParts) {
  const base = `${facts.baseUrl}/api/v1/player/games/${facts.gameUid}/saves`
  let { token } = parts
  let isEnded = false

  async function renew(): Promise<string> {
    const pass = await parts.renew()
    isEnded = pass.refused === true
    if (pass.token === undefined) throw new Away()
    return pass.token
  }

  /** Throws `Away` for what may work later. */
  async function call(path: string, init: Call = {}, isAgain = false): Promise<Response> {
    token ??= await renew()
    const { body, headers } = init
    const response = await fetch(base + path, {
      ...init,
      headers: { ...headers, authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(30_000 + (body?.byteLength ?? 0) / 20),
    }).catch(() => null)
    const status = response?.status ?? 0
    // What must be there is not: the player or the game may have ended it.
    const isMissing = status === 404 && (init.method === 'PUT' || headers?.['if-none-match'] !== undefined)
    if ((isMissing || REFUSED.has(status)) && !isAgain) {
      token = undefined
      return await call(path, init, true)
    }
    if (!response || AWAY.has(status) || status >= 500)
      throw new Away(Number(response?.headers.get('retry-after')) * 1000)
    return response
  }

  return {
    call,
    /** Whether the player, or the game's developer, has ended it. */
    get isEnded() {
      return isEnded
    },
  }
}

export function tagOf({ headers }: Response): string {
  return headers.get('etag')?.replace(/^W\/|"/g, '') ?? ''
}

/** Throws `Away` where the bytes end too early. */
export async function bytesOf(response: Response): Promise<ArrayBuffer> {
  return await response.arrayBuffer().catch(() => {
    throw new Away()
  })
}

export async function dataOf<Data>(response: Response): Promise<Data> {
  return ((await response.json()) as { data: Data }).data
}

export async function toError(response: Response): Promise<SaveError> {
  const { error, data } = (await response.json().catch(() => ({}))) as {
    error?: { code: number; message: string }
    data?: unknown
  }
  return new SaveError(error?.code ?? response.status, error?.message ?? 'The store refused it.', data)
}
