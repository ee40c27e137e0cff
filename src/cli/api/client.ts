import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

import { readLimited, TooLarge } from '../../lib/bytes/streams.ts'
import { parseJson } from '../../lib/json.ts'
import { formatBytes } from '../../lib/text/show.ts'
import { VERSION } from '../../lib/version.ts'
import { CliError, codeOf } from '../cli-error.ts'
import { ApiFailure, isApiCode, NetworkFailure, type Retry } from './retry.ts'

/** The encodings to request, with `decompress: false` because the runtime unpacks without a limit. */
export const ENCODINGS = 'gzip'

const unpack = promisify<Uint8Array, object, Buffer>(gunzip)

/** The body of a response, unpacked; throws `TooLarge` before it takes more memory than that. */
async function readBody({ body, headers }: Response, max: number): Promise<Uint8Array> {
  const bytes = await readLimited(body, max)
  const encoding = headers.get('content-encoding')?.toLowerCase() ?? 'identity'
  if (encoding === 'identity' || bytes.length === 0) return bytes
  if (encoding !== ENCODINGS) throw new Error(`it answers in the encoding ${encoding}`)
  return await unpack(bytes, { maxOutputLength: max }).catch((error: unknown) => {
    throw codeOf(error) === 'ERR_BUFFER_TOO_LARGE' ? new TooLarge(max) : error
  })
}

export async function readText(response: Response, max: number): Promise<string> {
  return new TextDecoder().decode(await readBody(response, max))
}

/** A deploy key. */
export interface Credentials {
  accessToken: string
  secretKey: string
}

/** A player key, or a token that a player allowed. */
export interface Bearer {
  bearer: string
}

/** A single response is never larger than a page of entries. */
const ANSWER_BYTES_MAX = 32 * 1024 ** 2
const ATTEMPT_MS = 60_000
/** The code of a deploy key that was revoked or has expired. */
const KEY_ENDED = 4023

export interface ApiRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  headers?: Record<string, string>
  body?: Bun.BodyInit
  /** JSON to send. */
  json?: unknown
  query?: Record<string, string | number>
  /** The answer is the document itself, without an envelope. */
  isPlain?: boolean
  signal?: AbortSignal
  /** How long one attempt may take; as long as the command waits unless given. */
  attemptMs?: number
  /** The default is the server; files go to the upload address. */
  base?: string
}

/** Calls the store's API. */
export class ApiClient {
  constructor(
    readonly server: string,
    readonly retry: Retry,
    readonly signal: AbortSignal,
    private credentials: Credentials | Bearer | null,
    /** Gets a new key or token for one that expired; pipelines and players who signed in by the browser can. */
    private readonly renew: (() => Promise<Credentials | Bearer>) | null = null,
  ) {}

  /** Repeats the call while it fails for reasons that pass. */
  async call<Data>(path: string, request: ApiRequest = {}): Promise<Data> {
    return await this.#repeat(request, (one) => this.once<Data>(path, one))
  }

  /** The same for a document that is not JSON. */
  async download(path: string, request: ApiRequest, maxBytes: number): Promise<Uint8Array> {
    return await this.#repeat(request, (one) => this.bytes(path, one, maxBytes))
  }

  async #repeat<Data>(request: ApiRequest, attempt: (request: ApiRequest) => Promise<Data>): Promise<Data> {
    this.retry.progress()
    let isRenewed = false
    for (;;) {
      try {
        const { attemptMs = Math.min(ATTEMPT_MS, this.retry.remainingMs) } = request
        const data = await attempt({ ...request, signal: AbortSignal.timeout(Math.max(1, attemptMs)) })
        this.retry.progress()
        return data
      } catch (error) {
        if (this.renew && this.#isEnded(error) && !isRenewed) {
          isRenewed = true
          this.credentials = await this.renew()
        } else await this.retry.pause(error)
      }
    }
  }

  /** One attempt. */
  async once<Data>(path: string, request: ApiRequest): Promise<Data> {
    return await this.#fetch(path, request, async (response) => {
      const text = await readText(response, ANSWER_BYTES_MAX)
      return parseAnswer(response, text, request.isPlain) as Data
    })
  }

  /** One attempt to read a document that is not JSON. */
  async bytes(path: string, request: ApiRequest, maxBytes: number): Promise<Uint8Array> {
    return await this.#fetch(path, request, async (response) => {
      if (!response.ok) parseAnswer(response, await readText(response, ANSWER_BYTES_MAX))
      return await readBody(response, maxBytes)
    })
  }

  async #fetch<Result>(
    path: string,
    request: ApiRequest,
    read: (response: Response) => Promise<Result>,
  ): Promise<Result> {
    const { method = 'GET', json, query = {}, base = this.server } = request
    const url = new URL(base.replace(/\/+$/, '') + path)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
    const signal = request.signal ? AbortSignal.any([request.signal, this.signal]) : this.signal
    const body = json === undefined ? request.body : JSON.stringify(json)
    try {
      const response = await fetch(url, {
        method,
        headers: this.#headers(request),
        ...(body !== undefined && { body }),
        signal,
        decompress: false,
        // The key must not follow a redirect to another host.
        redirect: 'manual',
        // Limits are set per request; the runtime's own is too short for large chunks.
        timeout: false,
      })
      return await read(response)
    } catch (error) {
      this.signal.throwIfAborted()
      if (error instanceof TooLarge) throw new OversizedAnswer(url.origin, error)
      throw error instanceof CliError ? error : new NetworkFailure(url.origin, error)
    }
  }

  #isEnded(error: unknown): boolean {
    const isToken = this.credentials !== null && 'bearer' in this.credentials
    return isToken ? error instanceof ApiFailure && error.status === 401 : isApiCode(error, KEY_ENDED)
  }

  #headers({ headers, json }: ApiRequest): Record<string, string> {
    return {
      'user-agent': `shelf/${VERSION}`,
      'accept-encoding': ENCODINGS,
      ...(this.credentials && toHeaders(this.credentials)),
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    }
  }
}

/** Permanent: a repeated request would get the same answer. */
export class OversizedAnswer extends CliError {
  constructor(server: string, cause: TooLarge) {
    const message = `The response of ${server} is larger than ${formatBytes(cause.max)}, so it was not read.`
    super('refused', message, { hint: "Check the server's address.", cause })
  }
}

function toHeaders(credentials: Credentials | Bearer): Record<string, string> {
  if ('bearer' in credentials) return { authorization: `Bearer ${credentials.bearer}` }
  return { 'x-access-token': credentials.accessToken, 'x-secret-key': credentials.secretKey }
}

function parseAnswer(response: Response, text: string, isPlain = false): unknown {
  const answer = parseEnvelope(text)
  if (response.ok && answer && isPlain) return answer
  if (response.ok && answer && 'data' in answer) return answer.data
  const wait = Number(response.headers.get('retry-after') ?? Number.NaN)
  const retryAfterMs = Number.isFinite(wait) ? wait * 1000 : null
  const error = answer && 'error' in answer ? answer.error : null
  if (isFailure(error)) {
    const data = answer && 'data' in answer ? (answer.data as Record<string, unknown>) : undefined
    throw new ApiFailure(response.status, { error, ...(data && { data }) }, retryAfterMs)
  }
  throw new ApiFailure(
    response.status,
    { error: { code: response.status, message: describe(response) } },
    retryAfterMs,
  )
}

function isFailure(error: unknown): error is { code: number; message: string } {
  return typeof error === 'object' && error !== null && 'code' in error && 'message' in error
}

function parseEnvelope(text: string): object | null {
  try {
    const value = parseJson(text)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

function describe(response: Response): string {
  const { status, statusText } = response
  const target = response.headers.get('location')
  if (target !== null) return `The server redirects to ${target}. Use the new address or name.`
  return `The response is not one that shelf can read: ${`${status} ${statusText}`.trim()}. Check the server's address.`
}
