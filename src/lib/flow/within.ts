/** Rejects when the work has not settled in time. The work itself continues. */
export async function within<Value>(
  ms: number,
  work: PromiseLike<Value>,
  toError: () => Error = () => new Error(`no answer within ${ms / 1000} s`),
): Promise<Value> {
  let timer: Timer | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(toError()), ms)
  })
  return await Promise.race([work, late]).finally(() => clearTimeout(timer))
}
