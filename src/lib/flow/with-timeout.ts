/** The result of waiting for work that has not settled in time. */
export const LATE = Symbol('late')

/** Counts ticks, not wall time, so a stalled process does not expire. */
const SLICES_MAX = 10
/** More frequent ticks would wake the event loop too often. */
const SLICE_MS_MIN = 200

/** Waits at most this long for the work, which continues in any case. */
export async function waitAtMost<Value>(ms: number, work: PromiseLike<Value>): Promise<Value | typeof LATE> {
  const { promise: late, resolve } = Promise.withResolvers<typeof LATE>()
  let left = Math.max(1, Math.min(SLICES_MAX, Math.floor(ms / SLICE_MS_MIN)))
  const timer = setInterval(() => {
    left -= 1
    if (left === 0) resolve(LATE)
  }, ms / left)
  try {
    return await Promise.race([work, late])
  } finally {
    clearInterval(timer)
  }
}

/** Rejects when the work has not settled in time. The work itself continues. */
export async function withTimeout<Value>(
  ms: number,
  work: PromiseLike<Value>,
  toError: () => Error = () => new Error(`no answer within ${ms / 1000} s`),
): Promise<Value> {
  const result = await waitAtMost(ms, work)
  if (result === LATE) throw toError()
  return result
}

/** Proceeds at once if the value is not a promise: one promise per step would cost more than the steps. */
export function whenReady<Value, Result>(
  value: Value | Promise<Value>,
  proceed: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(proceed) : proceed(value)
}
