import { formatBytes } from '../lib/text/byte-sizes.ts'

const REPORT_EVERY_MS = 3000

/** The first Ctrl-C aborts the work, which cleans up after itself; the second one ends the process. */
export async function interruptible<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const stop = new AbortController()
  const onSignal = () => stop.abort(new Error('Interrupted. No incomplete files were left behind.'))
  process.once('SIGINT', onSignal)
  process.once('SIGTERM', onSignal)
  try {
    return await work(stop.signal)
  } finally {
    process.off('SIGINT', onSignal)
    process.off('SIGTERM', onSignal)
  }
}

/** Passes the bytes through, prints progress regularly, and stops when aborted. */
export async function* reportProgress(
  bytes: AsyncIterable<Uint8Array>,
  doing: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let done = 0
  const timer = setInterval(() => console.log(`${doing}: ${formatBytes(done)} so far`), REPORT_EVERY_MS)
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
