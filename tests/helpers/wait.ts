/** Polls until there is a value; throws after the timeout. */
export async function waitFor<Value>(
  what: string,
  read: () => Value | null | undefined | false | Promise<Value | null | undefined | false>,
  timeoutMs = 2 * 60_000,
): Promise<Value> {
  return await waitWhileProgressing(what, read, () => null, timeoutMs)
}

/**
 * The timeout of effects promised within a second, for busy machines. A cache that missed a change takes
 * longer.
 */
export const PROMPT_MS = 3000

/** Each poll counts at most this long, so that after a standstill of the machine the others still follow. */
const LOOK_MAX_MS = 500

/** The same for a slow engine: throws only when its progress has not changed for `standstillMs`. */
export async function waitWhileProgressing<Value>(
  what: string,
  read: () => Value | null | undefined | false | Promise<Value | null | undefined | false>,
  readProgress: () => unknown,
  standstillMs: number,
): Promise<Value> {
  let progress = await readProgress()
  let waitedMs = 0
  for (;;) {
    const began = performance.now()
    const value = await read()
    if (value !== null && value !== undefined && value !== false) return value
    const current = await readProgress()
    if (current !== progress) waitedMs = 0
    else if (waitedMs > standstillMs) throw new Error(`${what} did not happen within ${standstillMs} ms`)
    progress = current
    await Bun.sleep(25)
    waitedMs += Math.min(performance.now() - began, LOOK_MAX_MS)
  }
}
