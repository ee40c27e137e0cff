import { AppError } from '../../errors.ts'
import type { GameWatch } from '../../features/games/watch.ts'

const STREAMS_MAX = 1000
const TICK_MS = 500
/** More often than idle connections are closed. */
const BEAT_TICKS = 30
/** Browsers connect again by themselves, perhaps to another process. */
const LIFETIME_TICKS = 1200
const RETRY_MS = 2000

export interface LiveGames {
  /** Server-sent events: one named `change` whenever the listing, a build or a scan of it changes. */
  stream(gameUid: string): ReadableStream<Uint8Array>
}

/** Changes are collected for a moment, so that a burst of them is one event. */
export function createLiveGames({ watch }: GameWatch, isStopping: () => boolean): LiveGames {
  const encoder = new TextEncoder()
  let open = 0
  return {
    stream(gameUid) {
      if (open >= STREAMS_MAX) throw new AppError('service_down', { headers: { 'retry-after': '30' } })
      using cleanup = new DisposableStack()
      let isChanged = false
      open += 1
      cleanup.defer(() => (open -= 1))
      cleanup.defer(watch(gameUid, () => (isChanged = true)))
      const held = cleanup.move()
      return new ReadableStream<Uint8Array>({
        start(controller) {
          const send = (text: string) => controller.enqueue(encoder.encode(text))
          let ticks = 0
          send(`retry: ${RETRY_MS}\n\n`)
          const timer = setInterval(() => {
            ticks += 1
            if (isChanged) send('event: change\ndata: {}\n\n')
            else if (ticks % BEAT_TICKS === 0) send(': alive\n\n')
            isChanged = false
            if (ticks < LIFETIME_TICKS && !isStopping()) return
            held.dispose()
            controller.close()
          }, TICK_MS)
          held.defer(() => clearInterval(timer))
        },
        cancel: () => held.dispose(),
      })
    },
  }
}
