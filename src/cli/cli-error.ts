/** Exit codes by name; scripts rely on the numbers. */
export const EXIT = {
  unexpected: 1,
  usage: 2,
  credentials: 3,
  refused: 4,
  unreachable: 5,
  scan: 6,
  files: 7,
  different: 8,
  /** Not a failure: `update --check` found a newer version. */
  newer: 9,
  /** A save changed here and in the account. */
  conflict: 10,
  interrupted: 130,
} as const
type ExitName = keyof typeof EXIT

interface CliErrorDetails {
  /** The code of the server, if it refused. */
  code?: number | undefined
  /** What to do now, as a sentence. */
  hint?: string | undefined
  cause?: unknown
}

/** An error with a sentence for the user and an exit code. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly code: number | null
  readonly hint: string | null

  constructor(
    readonly exit: ExitName,
    message: string,
    { code, hint, cause }: CliErrorDetails = {},
  ) {
    super(message, { cause })
    this.code = code ?? null
    this.hint = hint ?? null
  }
}

export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

/** Errors of the file system in words; anything else is unexpected. */
export function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error
  const message = error instanceof Error ? error.message : String(error)
  const path = error instanceof Error && 'path' in error ? `: ${String(error.path)}` : ''
  const details = { cause: error }
  switch (codeOf(error)) {
    case 'ENOENT':
      return new CliError('files', `A file is missing${path}.`, details)
    case 'EACCES':
    case 'EPERM':
      return new CliError('files', `A file cannot be opened: permission denied${path}.`, details)
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return new CliError('unexpected', 'The disk is full: there is no room for the packed zip.', {
        ...details,
        hint: 'Free some space, or set XDG_CACHE_HOME to a folder on a larger disk, and run the command again.',
      })
    default:
      return new CliError('unexpected', message, details)
  }
}
