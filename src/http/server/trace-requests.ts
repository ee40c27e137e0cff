import type { Tracing } from '../../lib/tracing/tracing.ts'
import type { Handler } from './handler.ts'
import { UNMATCHED } from './methods.ts'

/** Records only the route's pattern and the scheme of the address: paths and queries can contain tokens. */
export function traceRequests(
  handle: Handler,
  tracing: Pick<Tracing, 'traceRequest'>,
  routeOf: (request: Request) => string,
): Handler {
  return (request) => {
    const { method, url, headers } = request
    const route = routeOf(request)
    const facts = {
      method,
      route: route === UNMATCHED ? null : route,
      scheme: url.slice(0, url.indexOf(':')),
      traceparent: headers.get('traceparent'),
    }
    return tracing.traceRequest(facts, async () => await handle(request))
  }
}
