import type { Logger } from '../lib/log.ts'

const RESTART_PAUSE_MS = 1000

export interface Supervised {
  /** Settles when it was stopped. */
  ended: Promise<void>
  stop(): Promise<void>
}

interface Part {
  promise: Promise<unknown>
  stop(): Promise<unknown>
}

/**
 * Starts a part of the job queue again whenever it ends by itself: the library gives up when the database goes
 * away at the moment a job ends. Only the first start may fail.
 */
export async function supervise(start: () => Promise<Part>, log: Logger): Promise<Supervised> {
  let isStopping = false
  let part: Part | null = await start()
  const stopPart = async () => {
    // It rejects when the part has already ended.
    await part?.stop().catch(() => undefined)
  }

  async function run(): Promise<void> {
    while (!isStopping) {
      await part?.promise.catch(() => undefined)
      if (isStopping) return
      if (part) log.warn('The job runner ended and is started again')
      part = null
      await Bun.sleep(RESTART_PAUSE_MS)
      part = await start().catch((error: unknown) => {
        log.warn('The job runner could not start', { error })
        return null
      })
      if (isStopping) await stopPart()
    }
  }

  const ended = run()
  return {
    ended,
    async stop() {
      isStopping = true
      await stopPart()
      await ended
    },
  }
}
