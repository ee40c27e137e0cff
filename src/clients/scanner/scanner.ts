export interface Verdict {
  verdict: 'clean' | 'infected'
  /** The name of the detection; null when clean. */
  detail: string | null
}

export interface ScanOptions {
  signal?: AbortSignal
  /** How many bytes zips inside the files may still unpack to; a scanner with limits of its own ignores it. */
  nested?: UnpackBudget
}

export interface UnpackBudget {
  bytes: number
}

export interface Scanner {
  /** Name and version, as stored in a file's history. */
  readEngine(): Promise<string>
  /** Scans one file. Stops reading once something is found; errors of `content` are rethrown unchanged. */
  scan(content: AsyncIterable<Uint8Array>, options?: ScanOptions): Promise<Verdict>
  /** The verdict known from the SHA-256 alone; null when the file must be scanned. */
  findKnown(sha256: string): Promise<Verdict | null>
  /** Throws an error that says what the operator should do. */
  check(): Promise<void>
  dispose(): Promise<void>
}

/**
 * down: it cannot be reached, so retry later; limit: the file is larger than it is configured for; answer: it
 * sent an unexpected response.
 */
type ScannerFault = 'down' | 'limit' | 'answer'

export class ScannerError extends Error {
  override readonly name = 'ScannerError'

  constructor(
    readonly fault: ScannerFault,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause })
  }
}
