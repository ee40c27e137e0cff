interface OtlpAttribute {
  key: string
  value: { stringValue?: string; intValue?: number | string }
}

interface OtlpSpan {
  name: string
  kind: number
  traceId: string
  spanId: string
  parentSpanId?: string
  attributes: OtlpAttribute[]
  status: { code?: number }
}

interface OtlpRequest {
  resourceSpans: {
    resource: { attributes: OtlpAttribute[] }
    scopeSpans: { spans: OtlpSpan[] }[]
  }[]
}

export interface ReceivedSpan {
  name: string
  kind: 'server' | 'client' | 'consumer' | 'other'
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  failed: boolean
  attributes: Record<string, string | number | undefined>
  service: Record<string, string | number | undefined>
}

export interface TraceCollector extends AsyncDisposable {
  url: string
  spans: ReceivedSpan[]
  /** Everything it received, as text. */
  bodies: string[]
  headers: Headers[]
}

const KINDS = { 2: 'server', 3: 'client', 5: 'consumer' } as const
const ERROR = 2

/** A real receiver of OTLP over HTTP. */
export function startTraceCollector(status = 200): TraceCollector {
  const spans: ReceivedSpan[] = []
  const bodies: string[] = []
  const headers: Headers[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    routes: {
      '/v1/traces': {
        POST: async (request) => {
          const body = await request.text()
          bodies.push(body)
          headers.push(new Headers(request.headers))
          spans.push(...decode(JSON.parse(body)))
          return Response.json({}, { status })
        },
      },
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    spans,
    bodies,
    headers,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

function decode(request: OtlpRequest): ReceivedSpan[] {
  return request.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({
        name: span.name,
        kind: KINDS[span.kind as keyof typeof KINDS] ?? 'other',
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId,
        failed: span.status.code === ERROR,
        attributes: toRecord(span.attributes),
        service: toRecord(resource.attributes),
      })),
    ),
  )
}

function toRecord(attributes: OtlpAttribute[]): Record<string, string | number | undefined> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
  )
}
