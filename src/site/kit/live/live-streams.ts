import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { watchAccounts } from '../../../features/accounts/account-cache.ts'
import type { HeaderSet } from '../../../http/output/caching.ts'

/** The most open streams per process. */
const STREAMS_MAX = 1000
/** The most streams per account; more than the tabs for which a browser keeps connections open. */
export const STREAMS_PER_ACCOUNT = 12
const TICK_MS = 500
/** A comment is sent this often, so that the connection is not closed as idle. */
const BEAT_TICKS = 30
/** Streams end after this time; browsers reconnect, possibly to another process. */
const LIFETIME_TICKS = 1200
const RETRY_MS = 2000

/** Subscribes to what a page shows; returns a function that ends it. */
type Watch = (onChange: () => void) => () => void

export interface LiveStreams {
  /** Server-sent events: one named `change` after changes of what is watched. */
  stream(userUid: string, watch: Watch): ReadableStream<Uint8Array>
}

export function sendEvents(events: ReadableStream<Uint8Array>, set: HeaderSet): Response {
  set.headers['content-type'] = 'text/event-stream'
  set.headers['cache-control'] = 'no-store'
  set.headers['x-accel-buffering'] = 'no'
  return new Response(events)
}

/**
 * Changes within a tick are sent as one event. Any change of an account ends its streams, because it may have
 * been signed out or lost its rights; browsers that may still connect do so again.
 */
export async function createLiveStreams(deps: Deps, isStopping: () => boolean): Promise<LiveStreams> {
  const encoder = new TextEncoder()
  const open = new OpenStreams()
  await watchAccounts(
    deps,
    (userUid) => open.end(userUid),
    () => open.endAll(),
  )
  return {
    stream(userUid, watch) {
      open.requireRoom(userUid)
      using cleanup = new DisposableStack()
      let isChanged = false
      cleanup.defer(watch(() => (isChanged = true)))
      const held = cleanup.move()
      return new ReadableStream<Uint8Array>({
        start(controller) {
          const send = (text: string) => controller.enqueue(encoder.encode(text))
          const end = () => {
            if (held.disposed) return
            held.dispose()
            controller.close()
          }
          let ticks = 0
          send(`retry: ${RETRY_MS}\n\n`)
          const timer = setInterval(() => {
            ticks += 1
            if (isChanged) send('event: change\ndata: {}\n\n')
            else if (ticks % BEAT_TICKS === 0) send(': alive\n\n')
            isChanged = false
            if (ticks >= LIFETIME_TICKS || isStopping()) end()
          }, TICK_MS)
          held.defer(() => clearInterval(timer))
          held.defer(open.add(userUid, end))
        },
        cancel: () => held.dispose(),
      })
    },
  }
}

/** How each open stream is ended, by account. */
class OpenStreams {
  readonly #ends = new Map<string, Set<() => void>>()
  #count = 0

  requireRoom(userUid: string): void {
    if (this.#count >= STREAMS_MAX) throw new AppError('service_down', { headers: { 'retry-after': '30' } })
    if ((this.#ends.get(userUid)?.size ?? 0) < STREAMS_PER_ACCOUNT) return
    throw new AppError('rate_limited', {
      message: `You have ${STREAMS_PER_ACCOUNT} pages open that update themselves. Close one, then reload this page.`,
      headers: { 'retry-after': '30' },
    })
  }

  /** Returns a function that removes the stream. */
  add(userUid: string, end: () => void): () => void {
    const own = this.#ends.get(userUid) ?? new Set()
    this.#ends.set(userUid, own.add(end))
    this.#count += 1
    return () => {
      if (!own.delete(end)) return
      this.#count -= 1
      if (own.size === 0) this.#ends.delete(userUid)
    }
  }

  end(userUid: string): void {
    for (const end of Array.from(this.#ends.get(userUid) ?? [])) end()
  }

  endAll(): void {
    for (const userUid of Array.from(this.#ends.keys())) this.end(userUid)
  }
}
