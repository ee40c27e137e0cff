import { createSemaphore } from '../../lib/semaphore.ts'
import type { ClamdConnection } from './clamd-connection.ts'

/** clamd ends sessions that are silent for 30 seconds, so older ones are not trusted. */
const IDLE_MS = 10_000

export interface ClamdPool {
  /** Runs `work` with a connection of its own; waits while all are taken. */
  use<Result>(work: (connection: ClamdConnection) => Promise<Result>): Promise<Result>
  close(): void
}

/** At most `size` connections. One whose work failed in the middle is in an unknown state, so it is never used again. */
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
