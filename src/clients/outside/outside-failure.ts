export type OutsideReason =
  /** The address is not http(s), or is inside our own network. */
  'not_allowed' | 'no_answer' | 'too_slow' | 'too_large'

/** A request to an external server failed. The message is safe to show. */
export class OutsideFailure extends Error {
  constructor(
    readonly reason: OutsideReason,
    message: string,
  ) {
    super(message)
  }
}

export function toOutsideFailure(error: unknown): OutsideFailure {
  if (error instanceof OutsideFailure) return error
  const isLate = error instanceof DOMException && error.name === 'TimeoutError'
  if (isLate) return new OutsideFailure('too_slow', 'The server did not answer in time.')
  return new OutsideFailure('no_answer', 'The server cannot be reached.')
}
