/** The result of waiting for work that has not settled in time. */
export const LATE = Symbol('late')

/** Waits so long for the work, which continues in any case. */
export async function waitAtMost<Value>(ms: number, work: PromiseLike<Value>): Promise<Value | typeof LATE> {
  const { promise: late, resolve } = Promise.withResolvers<typeof LATE>()
  const timer = setTimeout(resolve, ms, LATE)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Rejects when the work has not settled in time. The work itself continues. */
export async function within<Value>(
  ms: number,
  work: PromiseLike<Value>,
  toError: () => Error = () => new Error(`no answer within ${ms / 1000} s`),
): Promise<Value> {
  const result = await waitAtMost(ms, work)
  if (result === LATE) throw toError()
  return result
}
