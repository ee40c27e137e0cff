import type { Logger } from '../lib/log.ts'
import { pathOf } from './base.ts'
import { createMethodTable, type RouteEntry } from './methods.ts'
import { asGet } from './request-facts.ts'

export interface HandlerApp {
  fetch(request: Request): Response | Promise<Response>
  routes: readonly RouteEntry[]
}

export interface Answer {
  method: string
  path: string
  status: number
  seconds: number
}

export interface HandlerOptions {
  log: Logger
  isStopping: () => boolean
  onAnswer?: ((answer: Answer) => void) | undefined
  /** Given when requests are traced, so that a line of the log leads to its trace. */
  traceId?: (() => string | undefined) | undefined
}

/** Probes come every few seconds and say nothing. */
const QUIET = new Set(['/health', '/ready'])

/** The outermost layer: methods the router does not know of, the access log, and closing connections on the way out. */
export function createHandler(
  app: HandlerApp,
  options: HandlerOptions,
): (request: Request) => Promise<Response> {
  const methods = createMethodTable(app.routes)
  const { log, isStopping, onAnswer, traceId } = options
  const logs = log.enabled('info')

  return async (request) => {
    const started = performance.now()
    const { method } = request
    const response = await answer(request, method)
    if (isStopping()) response.headers.set('connection', 'close')
    const path = pathOf(request.url)
    const seconds = (performance.now() - started) / 1000
    onAnswer?.({ method, path, status: response.status, seconds })
    if (logs && !QUIET.has(path)) {
      const request_id = response.headers.get('x-request-id')
      log.info('request', {
        method,
        path,
        status: response.status,
        ms: Math.round(seconds * 1e4) / 10,
        request_id,
        ...(traceId && { trace_id: traceId() }),
      })
    }
    return response
  }

  async function answer(request: Request, method: string): Promise<Response> {
    // Bun leaves the body out of an answer to HEAD and keeps its length.
    if (method === 'HEAD') return answer(asGet(request), 'GET')
    const response = await app.fetch(request)
    if (response.status !== 404 && method !== 'OPTIONS') return response
    return refineMiss(request, response, method)
  }

  /** A 404 of a feature has the same status as the router's, but its method is one the address answers. */
  function refineMiss(request: Request, response: Response, method: string): Response {
    const path = pathOf(request.url)
    const refined = methods.refine(path, method, response.headers)
    return refined ?? response
  }
}
