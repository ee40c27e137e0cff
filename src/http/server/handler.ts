import { once } from '../../lib/flow/memoize.ts'
import type { Logger } from '../../lib/log.ts'
import { asGet } from '../../lib/net/requests.ts'
import { pathOf } from '../base.ts'
import { createMethodTable, type RouteEntry } from './methods.ts'
import { noteArrival } from './request-facts.ts'
import type { SlowLane } from './slow-lane.ts'

export interface HandlerApp {
  fetch(request: Request): Response | Promise<Response>
  routes: readonly RouteEntry[]
}

export interface Answer {
  method: string
  /** The route's pattern: paths can contain tokens, and there are far too many of them. */
  route: string
  status: number
  seconds: number
}

/** Hosts that are not the store's, and what they answer. */
export interface OtherHosts {
  /** Null for requests to the store itself. */
  labelOf(request: Request): string | null
  answer(request: Request, label: string): Response | Promise<Response>
}

export interface HandlerOptions {
  log: Logger
  otherHosts?: OtherHosts | undefined
  isStopping: () => boolean
  slowLane?: SlowLane | undefined
  onAnswer?: ((answer: Answer) => void) | undefined
  /** Set when requests are traced, so that a log line links to its trace. */
  traceId?: (() => string | undefined) | undefined
}

/** The name of all requests to other hosts in log and metrics. */
export const OTHER_HOST = 'play'
/** Not logged: probes come every few seconds and carry no information. */
const QUIET = new Set(['/health', '/ready'])

export type Handler = (request: Request) => Response | Promise<Response>

/**
 * The outermost layer: holds back networks that attack, separates the hosts, handles methods the router does not know, writes the
 * access log, and closes connections on shutdown. Synchronous responses stay synchronous.
 */
export function createHandler(app: HandlerApp, options: HandlerOptions): Handler {
  const methods = once(() => createMethodTable(app.routes))
  const { log, isStopping, slowLane, onAnswer, traceId, otherHosts } = options
  const logs = log.enabled('info')

  return (request) => {
    const started = performance.now()
    noteArrival(request, started)
    const lane = slowLane?.laneFor(request)
    if (!slowLane || !lane) return handle(request, started)
    return slowLane.run(request, lane, () => handle(request, started))
  }

  function handle(request: Request, started: number): Response | Promise<Response> {
    const measurement = slowLane?.measure(request)
    const charge = () => measurement && slowLane?.charge(request, measurement)
    const label = otherHosts?.labelOf(request)
    const isOther = otherHosts !== undefined && typeof label === 'string'
    const settle = (given: Response) => {
      const response = isOther ? record(request, given, OTHER_HOST, started) : finish(request, given, started)
      charge()
      return response
    }
    // Bun drops the body of a response to HEAD but sends its length.
    const given = isOther
      ? otherHosts.answer(request, label)
      : app.fetch(request.method === 'HEAD' ? asGet(request) : request)
    if (!(given instanceof Promise)) return settle(given)
    return given.then(settle, (error: unknown) => {
      charge()
      throw error
    })
  }

  function finish(request: Request, given: Response, started: number): Response {
    const { method } = request
    const path = pathOf(request.url)
    const route = methods().routeOf(path)
    const isMiss = given.status === 404 || method === 'OPTIONS'
    const response =
      methods().leadBack(route, path, method, given) ??
      (isMiss ? methods().refine(path, method, given) : null) ??
      given
    slowLane?.observe(request, response.status)
    return record(request, response, route, started, QUIET.has(path))
  }

  function record(
    request: Request,
    response: Response,
    route: string,
    started: number,
    isQuiet = false,
  ): Response {
    const { method } = request
    if (isStopping()) response.headers.set('connection', 'close')
    const isLogged = logs && !isQuiet
    if (!isLogged && !onAnswer) return response
    const seconds = (performance.now() - started) / 1000
    onAnswer?.({ method, route, status: response.status, seconds })
    if (isLogged) {
      log.info('request', {
        method,
        route,
        status: response.status,
        ms: Math.round(seconds * 1e4) / 10,
        request_id: response.headers.get('x-request-id'),
        ...(traceId && { trace_id: traceId() }),
      })
    }
    return response
  }
}
