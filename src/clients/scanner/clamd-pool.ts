import { createSemaphore } from '../../lib/flow/semaphore.ts'
import type { ClamdConnection } from './clamd-connection.ts'

/** clamd closes sessions after 30 idle seconds, so connections are reused only well before that. */
const IDLE_MS = 10_000

export interface ClamdPool {
  /** Runs `work` with an exclusive connection; waits while all are in use. */
  use<Result>(work: (connection: ClamdConnection) => Promise<Result>): Promise<Result>
  close(): void
}

/** At most `size` connections. A connection whose work failed is in an unknown state, so it is closed. */
export function createClamdPool(open: () => Promise<ClamdConnection>, size: number): ClamdPool {
  const idle: { connection: ClamdConnection; since: number }[] = []
  const connections = createSemaphore(size)

  function takeIdle(): ClamdConnection | null {
    for (let entry = idle.pop(); entry; entry = idle.pop()) {
      if (entry.connection.isOpen() && Date.now() - entry.since < IDLE_MS) return entry.connection
      entry.connection.close()
    }
    return null
  }

  return {
    async use(work) {
      using held = new DisposableStack()
      held.use(await connections.acquire())
      const connection = takeIdle() ?? (await open())
      try {
        const result = await work(connection)
        idle.push({ connection, since: Date.now() })
        return result
      } catch (error) {
        connection.close()
        throw error
      }
    },
    close() {
      for (const { connection } of idle.splice(0)) connection.close()
    },
  }
}
