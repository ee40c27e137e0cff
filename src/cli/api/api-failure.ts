import type { FailureEnvelope } from '../../errors.ts'
import { CliError } from '../cli-error.ts'

const CREDENTIALS_HINT =
  'Run "shelf login", or set SHELF_ACCESS_TOKEN and SHELF_SECRET_KEY to a valid deploy key of the game.'
const INSUFFICIENT_STORAGE = 507
const ROOM_HINT =
  'The server has no room; only its operator can help. Run the command again later: it goes on where it stopped.'
/** Wrong certificates do not become right by waiting. */
const PERMANENT = /CERT|TLS|SSL|SIGNED|ERR_INVALID_URL/i

/** The runtime's codes, in words. */
const REASONS: readonly [codes: RegExp, words: string][] = [
  [/ECONNREFUSED|ConnectionRefused/i, 'it refuses the connection'],
  [/ENOTFOUND|EAI_AGAIN|DNS/i, 'its name is not known'],
  [/ECONNRESET|EPIPE|ConnectionClosed|socket connection was closed/i, 'the connection broke'],
  [/TimeoutError|ETIMEDOUT|timed out/i, 'it does not respond'],
]

/** The server responded, but refused. */
export class ApiFailure extends CliError {
  readonly data: Record<string, unknown>

  constructor(
    readonly status: number,
    { error, data = {} }: Omit<FailureEnvelope, 'success'>,
    readonly retryAfterMs: number | null,
  ) {
    const hint = status === 401 ? CREDENTIALS_HINT : status === INSUFFICIENT_STORAGE ? ROOM_HINT : undefined
    super(status === 401 ? 'credentials' : status >= 500 ? 'unreachable' : 'refused', error.message, {
      code: error.code,
      hint,
    })
    this.data = data
  }

  /** Where the upload session stands, if the server said so. */
  get currentSize(): number | null {
    return typeof this.data.current_size === 'number' ? this.data.current_size : null
  }
}

/** No response, or one that ended early. */
export class NetworkFailure extends CliError {
  readonly isPermanent: boolean

  constructor(server: string, cause: unknown) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    const text = cause instanceof Error ? cause.message : String(cause)
    const [, reason = text.replace(/[.?!\s]+$/, '')] =
      REASONS.find(([codes]) => codes.test(code + text)) ?? []
    super('unreachable', `${server} cannot be reached: ${reason}.`, { cause })
    this.isPermanent = PERMANENT.test(code)
  }
}

export function isTransient(error: unknown): error is ApiFailure | NetworkFailure {
  if (error instanceof NetworkFailure) return !error.isPermanent
  return error instanceof ApiFailure && (error.status >= 500 || error.status === 429)
}

export function isApiCode(error: unknown, code: number): error is ApiFailure {
  return error instanceof ApiFailure && error.code === code
}
