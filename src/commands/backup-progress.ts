const EVERY_MS = 3000
const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** Ctrl-C ends the work and not the process, so that nothing half-made is left; pressed again it ends both. */
export async function interruptible<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const stop = new AbortController()
  const onSignal = () => stop.abort(new Error('Interrupted: nothing was left behind.'))
  process.once('SIGINT', onSignal)
  process.once('SIGTERM', onSignal)
  try {
    return await work(stop.signal)
  } finally {
    process.off('SIGINT', onSignal)
    process.off('SIGTERM', onSignal)
  }
}

/** Passes the bytes on, prints now and then how many there were, and ends when it is told to. */
export async function* tellProgress(
  bytes: AsyncIterable<Uint8Array>,
  doing: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let done = 0
  const timer = setInterval(() => console.log(`${doing}: ${formatBytes(done)} so far`), EVERY_MS)
  try {
    for await (const chunk of bytes) {
      signal.throwIfAborted()
      done += chunk.length
      yield chunk
    }
  } finally {
    clearInterval(timer)
  }
}

export function formatBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** power
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power]}`
}
