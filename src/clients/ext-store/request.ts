import { readLimited, TooLarge } from '../../lib/bytes/read-limited.ts'
import { ExtStoreFailure } from './ext-store.ts'
import { parseUntrusted } from './untrusted.ts'

export interface StoreRequest {
  /** Without the query. */
  address: string
  params: Readonly<Record<string, string>>
  /** Sends the parameters as a form instead of in the address. */
  isForm?: boolean
  signal: AbortSignal
}

/** Ten times the longest known response, the app list of a large publisher. */
const RESPONSE_MAX = 8 * 1024 * 1024
const LOST = new Set(['ECONNRESET', 'EPIPE', 'ConnectionClosed'])

export async function requestJson(request: StoreRequest): Promise<unknown> {
  const text = await requestText(request)
  try {
    return parseUntrusted(text)
  } catch {
    throw noResponse('The external store answered something that is not JSON')
  }
}

/** Retries once after a lost connection, but not after a timeout. No request changes anything. */
export async function requestText(request: StoreRequest): Promise<string> {
  try {
    return await requestOnce(request)
  } catch (error) {
    if (!isLostConnection(error)) throw toFailure(error)
  }
  try {
    return await requestOnce(request)
  } catch (error) {
    throw toFailure(error)
  }
}

async function requestOnce({ address, params, isForm = false, signal }: StoreRequest): Promise<string> {
  const query = new URLSearchParams(params)
  const options = { signal, redirect: 'manual', headers: { accept: 'application/json' } } as const
  const answer = isForm
    ? await fetch(address, { ...options, method: 'POST', body: query })
    : await fetch(`${address}?${query.toString()}`, options)
  if (answer.status !== 200) {
    await answer.body?.cancel()
    if (params.key !== undefined && (answer.status === 401 || answer.status === 403)) {
      throw new ExtStoreFailure('key_refused', `The external store refused the key (${answer.status})`)
    }
    throw noResponse(`The external store answered with status ${answer.status}`)
  }
  return new TextDecoder().decode(await readLimited(answer.body, RESPONSE_MAX))
}

export function noResponse(message: string): ExtStoreFailure {
  return new ExtStoreFailure('no_answer', message)
}

function isLostConnection(error: unknown): boolean {
  return LOST.has(codeOf(error))
}

/** The runtime's errors contain the address and with it the key, so only their code is passed on. */
function toFailure(error: unknown): ExtStoreFailure {
  if (error instanceof ExtStoreFailure) return error
  if (error instanceof TooLarge) return noResponse('The external store answered too much')
  if (error instanceof DOMException) return noResponse('The external store did not answer in time')
  return noResponse(`The external store cannot be reached (${codeOf(error) || 'unknown'})`)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
