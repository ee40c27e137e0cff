const FIRST = 20_000
const COUNT = 12_000

/**
 * A free port below those that systems hand out, so that no other process gets it before or between starts of
 * its server.
 */
export function findKeptPort(): number {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT)
    try {
      Bun.listen({ hostname: '127.0.0.1', port, socket: { data: () => undefined } }).stop(true)
      return port
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    }
  }
}
