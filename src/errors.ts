import { type ErrorName, ERRORS } from './error-table.ts'

interface ErrorDetails {
  /** Replaces the default sentence; shown to the caller. */
  message?: string
  /** Becomes the top-level `data` of the error response. */
  data?: Record<string, unknown>
  /** Logged, never sent. */
  cause?: unknown
  /** Extra response headers. */
  headers?: Record<string, string>
}

/**
 * The error that services throw; responses, error pages, job outcomes and CLI exit codes are derived from it.
 */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: number
  readonly status: number
  readonly data: Record<string, unknown> | undefined
  readonly headers: Record<string, string>

  constructor(
    readonly kind: ErrorName,
    details: ErrorDetails = {},
  ) {
    const [code, status, message] = ERRORS[kind]
    super(details.message ?? message, { cause: details.cause })
    this.code = code
    this.status = status
    this.data = details.data
    this.headers = details.headers ?? {}
  }
}

/** The path of an invalid value, and what is expected there. */
export interface Issue {
  path: string
  message: string
}

export const ISSUES_MAX = 20

interface IssueDetails extends Pick<ErrorDetails, 'message' | 'cause'> {
  kind?: ErrorName
}

/** Invalid request fields: 4000 unless they have their own code. The message defaults to the first issue. */
export function invalidFields(
  issues: readonly Issue[],
  { kind = 'invalid_request', message = issues[0]?.message, cause }: IssueDetails = {},
): AppError {
  return new AppError(kind, { ...(message !== undefined && { message }), data: { issues }, cause })
}

/** The fault continues after the field's name: `must be a text.` */
export function invalidField(path: string, fault: string, details?: IssueDetails): AppError {
  return invalidFields([issueAt(path, fault)], details)
}

export function issueAt(path: string, fault: string): Issue {
  return { path, message: `${nameField(path)} ${fault}` }
}

/** Runs every step, and throws the faults of all of them together, as the kind of the first. */
export function collectFaults<Result>(steps: readonly (() => Result)[]): Result[] {
  const results: Result[] = []
  const faults: AppError[] = []
  for (const step of steps) {
    try {
      results.push(step())
    } catch (error) {
      if (!(error instanceof AppError) || !error.data?.issues) throw error
      faults.push(error)
    }
  }
  const [first] = faults
  if (!first) return results
  const issues = faults.flatMap((fault) => fault.data?.issues as Issue[]).slice(0, ISSUES_MAX)
  const { kind, message, data } = first
  throw new AppError(kind, { message, data: { ...data, issues } })
}

/** Formats a path as code does: `links.3.url` becomes `links[3].url`. */
export function nameField(path: string): string {
  return path === '' ? 'The body' : path.replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]')
}

/** Lists the sent fields whose values differ from the present ones. Fields that were not sent are ignored. */
export function findChanged(
  sent: Record<string, unknown>,
  present: Record<string, unknown>,
  path = '',
): Issue[] {
  return Object.keys(present).flatMap((name) => {
    if (sent[name] === undefined || Bun.deepEquals(sent[name], present[name])) return []
    const fault = 'is read-only; leave it out, or send it as it is now.'
    return [issueAt(path === '' ? name : `${path}.${name}`, fault)]
  })
}

/** Postgres cannot store a NUL character in a text, so nothing accepts one. */
export function nulRefused(): AppError {
  return new AppError('invalid_request', { message: 'NUL characters are not allowed.' })
}

/** Not a failure: the listing was renamed. Sent as a redirect to the same route under the new name. */
export class Moved extends Error {
  override readonly name = 'Moved'

  constructor(
    readonly from: string,
    readonly to: string,
  ) {
    super(`${from} was renamed to ${to}`)
  }
}

export interface FailureEnvelope {
  success: false
  error: { code: number; message: string }
  data?: Record<string, unknown>
}

export function toEnvelope(error: AppError): FailureEnvelope {
  const envelope: FailureEnvelope = {
    success: false,
    error: { code: error.code, message: error.message },
  }
  if (error.data) envelope.data = error.data
  return envelope
}
