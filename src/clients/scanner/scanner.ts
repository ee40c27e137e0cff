export type ScannerSettings =
  { kind: 'builtin' } | { kind: 'clamd'; host: string; port: number } | { kind: 'clamd-socket'; path: string }

export interface Verdict {
  verdict: 'clean' | 'infected'
  /** What was found; null when nothing was. */
  detail: string | null
}

export interface ScanOptions {
  signal?: AbortSignal
}

export interface Scanner {
  /** Name and version, as they are kept in a file's history. */
  readEngine(): Promise<string>
  /** Judges one file. Reads to the end unless it finds something first; failures of `content` are thrown on as they are. */
  scan(content: AsyncIterable<Uint8Array>, options?: ScanOptions): Promise<Verdict>
  /** What is known of a file by its SHA-256 alone; null when it must be read. */
  findKnown(sha256: string): Promise<Verdict | null>
  /** Throws with a sentence that tells the operator what to do. */
  check(): Promise<void>
  dispose(): Promise<void>
}

/**
 * down: it cannot be reached, so it may be asked again later; limit: the file is larger than it is set up for;
 * answer: it answered, but not what a scanner answers.
 */
export type ScannerFault = 'down' | 'limit' | 'answer'

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
