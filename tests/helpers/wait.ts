/** Asks again until the answer is there; fails after the time is over. */
export async function waitFor<Value>(
  what: string,
  read: () => Value | null | undefined | false | Promise<Value | null | undefined | false>,
  timeoutMs = 20_000,
): Promise<Value> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const value = await read()
    if (value !== null && value !== undefined && value !== false) return value
    if (Date.now() > deadline) throw new Error(`${what} did not happen within ${timeoutMs} ms`)
    await Bun.sleep(25)
  }
}
