import { LATE, waitAtMost } from '../../lib/flow/with-timeout.ts'
import { createUid } from '../../lib/ids.ts'
import type { Logger } from '../../lib/log.ts'
import type { Handler } from './handler.ts'

interface Listener {
  port: number
  server: Bun.Server<undefined>
  /** Until this is called, every request gets a response that the program is starting. */
  attach(handler: Handler, instant?: Readonly<Record<string, Handler>>): void
  isStopping(): boolean
  /** Accepts no new connections and settles when the requests in flight are done. */
  stop(): Promise<void>
}

interface ListenOptions {
  host: string
  port: number
  reusePort?: boolean
  /** How long a stopping process keeps serving, so that load balancers see in /ready that it is leaving. */
  leaveMs?: number
  log: Logger
}

/** Uploads may be slow; their routes set a longer timeout. */
const IDLE_SECONDS = 30
export const LEAVE_MIN_MS = 250
/**
 * How many turns of the event loop requests are held: a stalled process has yet to read what arrived
 * meanwhile.
 */
const HOLD_TURNS = 10
const HOLD_TURN_MS = 10
const DRAIN_MS = 30_000
/** Each route limits its body itself; a rejection by Bun would have no envelope. */
const MAX_BODY = Number.MAX_SAFE_INTEGER

/**
 * Binds first: a port in use fails at once, and the port for PORT=0 is known before anything needs the
 * address.
 */
export function listen({
  host,
  port,
  reusePort = false,
  leaveMs = LEAVE_MIN_MS,
  log,
}: ListenOptions): Listener {
  let handle: Handler = starting
  let stopping = false
  let stopped: Promise<void> | undefined
  const server = bindPort('PORT', port, () =>
    Bun.serve({
      hostname: host,
      port,
      reusePort,
      idleTimeout: IDLE_SECONDS,
      maxRequestBodySize: MAX_BODY,
      development: false,
      fetch: starting,
      error: onError,
    }),
  )
  return {
    port: server.port ?? port,
    server,
    attach(handler, instant = {}) {
      const routes = Object.fromEntries(Object.entries(instant).map(([path, GET]) => [path, { GET }]))
      handle = handler
      server.reload({ routes, fetch: handler, error: onError })
    },
    isStopping: () => stopping,
    stop: () => (stopped ??= drain()),
  }

  function onError(error: Error): Response {
    log.error('A request failed outside the application', { error })
    return failure(500, 5000, 'Something went wrong on our side.')
  }

  /**
   * Stopping cuts idle connections, even if their next request is already on its way. So requests are held
   * for a moment first: then every active client is waiting for a response and none is idle.
   */
  async function drain(): Promise<void> {
    stopping = true
    await Bun.sleep(leaveMs)
    const release = Promise.withResolvers<void>()
    const held: Handler = async (request) => {
      await release.promise
      return await handle(request)
    }
    server.reload({ routes: {}, fetch: held, error: onError })
    for (let turn = 0; turn < HOLD_TURNS; turn += 1) await Bun.sleep(HOLD_TURN_MS)
    const closed = server.stop()
    release.resolve()
    if ((await waitAtMost(DRAIN_MS, closed)) !== LATE) return
    log.warn('Some requests were still running after 30 s and were cut off', {
      pending: server.pendingRequests,
    })
    await server.stop(true)
  }
}

const STARTING = 'The store is starting; try again in a moment.'
/** Stands alone: nothing else of the store can be served yet. */
const STARTING_PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="2"><title>Back in a moment</title>
<style>
:root { color-scheme: light dark }
body { min-height: 90vh; margin: 0; padding: 1rem; display: grid; place-content: center; text-align: center; background: light-dark(#f6f6f9, #0e0f14); color: light-dark(#191a23, #eceef5); font: 1rem/1.55 system-ui, sans-serif }
h1 { margin: 0 0 .5rem; line-height: 1.2 }
p { margin: 0; color: light-dark(#555a6b, #a3a9bc) }
</style>
<main><h1>Back in a moment</h1><p>The store is starting. This page opens by itself as soon as it is ready.</p></main></html>`

function starting({ headers }: Request): Response {
  const answer = failure(503, 5031, STARTING)
  if (!headers.get('accept')?.includes('text/html')) return answer
  answer.headers.set('content-type', 'text/html; charset=utf-8')
  answer.headers.set('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
  return new Response(STARTING_PAGE, answer)
}

/** For responses while the application itself is not available. */
function failure(status: number, code: number, message: string): Response {
  const headers = { 'retry-after': '1', 'x-request-id': createUid(), 'x-content-type-options': 'nosniff' }
  return Response.json({ success: false, error: { code, message } }, { status, headers })
}

/** Explains to the operator why a listener could not be opened; `variable` sets its port. */
export function bindPort<Server>(variable: string, port: number, bind: () => Server): Server {
  try {
    return bind()
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE')) throw cause
    throw new Error(
      `Port ${port} is already in use, perhaps by another Playshelf. Stop that program, or set ${variable} to another port. If both are meant to share it, set REUSE_PORT=on for both.`,
      { cause },
    )
  }
}
