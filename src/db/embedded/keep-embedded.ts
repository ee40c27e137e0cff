import type { Logger } from '../../lib/log.ts'
import { holdServeLock, type ServeLock } from '../locks/serve-lock.ts'
import { type EmbeddedPostgres, openEmbeddedPostgres } from './embedded.ts'

export interface KeptPostgres {
  /** Rejects when Postgres could not be started again, or ends too often. */
  failed: Promise<never>
  stop(): Promise<void>
}

/** Ending more often than this within the window is a fault that a restart does not mend. */
const ENDS_MAX = 5
const WINDOW_MS = 10 * 60_000
/** Growing, because the processes of a killed Postgres hold its memory until their statements have ended. */
const PAUSES_MS = [0, 250, 500, 1000, 2000, 4000, 8000, 16_000] as const

/**
 * Holds the lock of the only server in `folder` and starts Postgres again on its port whenever it ends. The session
 * of the lock notices that at once, also a crash after which Postgres starts itself again.
 */
export async function keepEmbeddedRunning(
  embedded: EmbeddedPostgres,
  folder: string,
  log: Logger,
): Promise<KeptPostgres> {
  let isStopping = false
  let lock = await holdServeLock(embedded.url, folder)
  const watching = watch()
  const failed = watching.then(() => new Promise<never>(() => undefined))
  failed.catch(() => undefined)

  async function watch(): Promise<void> {
    let ends: number[] = []
    for (;;) {
      await lock.lost
      if (isStopping) return
      ends = [...ends.filter((at) => at > performance.now() - WINDOW_MS), performance.now()]
      const advice = `Its last messages are in ${folder}/postgres.log; is there room on the disk?`
      if (ends.length > ENDS_MAX) {
        throw new Error(`The embedded Postgres ended ${ends.length} times within ten minutes. ${advice}`)
      }
      log.error('The embedded Postgres ended and is started again', { log: `${folder}/postgres.log` })
      const next = await recover()
      if (next === null) {
        if (isStopping) return
        throw new Error(`The embedded Postgres ended and could not be started again. ${advice}`)
      }
      lock = next
      log.info('The embedded Postgres runs again')
    }
  }

  async function recover(): Promise<ServeLock | null> {
    const port = Number(new URL(embedded.url).port)
    for (const pause of PAUSES_MS) {
      await Bun.sleep(pause)
      if (isStopping) return null
      try {
        const { url } = await openEmbeddedPostgres(folder, { port })
        if (url === embedded.url) return await holdServeLock(url, folder)
        log.warn('Another process has started the embedded Postgres on another port')
      } catch (error) {
        log.warn('The embedded Postgres could not be started', { error })
      }
    }
    return null
  }

  return {
    failed,
    async stop() {
      isStopping = true
      await lock.release()
      await watching.catch(() => undefined)
      await embedded.stop()
    },
  }
}
