import { AsyncLocalStorage } from 'node:async_hooks'

import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'

import { waitAtMost } from '../flow/with-timeout.ts'
import type { Logger } from '../log.ts'
import { VERSION } from '../version.ts'
import type { TraceSettings, Tracing } from './tracing.ts'

const STOP_MS = 3000
const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/

/** Registers nothing globally, so that several servers can run in one process. */
export function createTracing(settings: TraceSettings, log: Logger): Tracing {
  const exporter = new OTLPTraceExporter({ url: settings.url, headers: settings.headers })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': settings.serviceName, 'service.version': VERSION }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(settings.ratio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter: reportFailures(exporter, log) })],
  })
  const tracer = provider.getTracer('playshelf', VERSION)
  const active = new AsyncLocalStorage<Span>()

  return {
    async traceRequest({ method, route, scheme, traceparent }, work) {
      const attributes = {
        'http.request.method': method,
        'url.scheme': scheme,
        ...(route !== null && { 'http.route': route }),
      }
      const name = route === null ? method : `${method} ${route}`
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parentOf(traceparent))
      try {
        const response = await active.run(span, work)
        endRequest(span, response.status)
        return response
      } catch (error) {
        endRequest(span, 500)
        throw error
      }
    },

    startQuery(text) {
      const parent = active.getStore()
      if (!parent?.isRecording()) return null
      const operation = /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? 'QUERY'
      const attributes = {
        'db.system.name': 'postgresql',
        'db.operation.name': operation,
        'db.query.text': text,
      }
      const span = tracer.startSpan(
        operation,
        { kind: SpanKind.CLIENT, attributes },
        trace.setSpan(ROOT_CONTEXT, parent),
      )
      return (error) => {
        if (error !== undefined) fail(span, parseCode(error))
        span.end()
      }
    },

    recordJob({ task, outcome, seconds }) {
      const end = Date.now()
      const attributes = { 'playshelf.job.task': task, 'playshelf.job.outcome': outcome }
      const options = { kind: SpanKind.CONSUMER, attributes, startTime: end - seconds * 1000 }
      const span = tracer.startSpan(`job ${task}`, options, ROOT_CONTEXT)
      if (outcome !== 'done') fail(span, outcome)
      span.end(end)
    },

    activeTraceId: () => active.getStore()?.spanContext().traceId,

    async stop() {
      await waitAtMost(STOP_MS, provider.shutdown()).catch(() => undefined)
    },
  }
}

/** The caller may already have started the trace. */
function parentOf(traceparent: string | null): Context {
  const context = traceparent === null ? null : parseTraceparent(traceparent)
  return context ? trace.setSpanContext(ROOT_CONTEXT, context) : ROOT_CONTEXT
}

export function parseTraceparent(header: string): SpanContext | null {
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(header.trim()) ?? []
  if (!version || !traceId || !spanId || !flags) return null
  if (version === 'ff' || (version === '00' && more !== undefined)) return null
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED
  return { traceId, spanId, traceFlags, isRemote: true }
}

function endRequest(span: Span, status: number): void {
  span.setAttribute('http.response.status_code', status)
  if (status >= 500) fail(span, String(status))
  span.end()
}

/** Records only the kind of the error: its message may quote user input. */
function fail(span: Span, kind: string): void {
  span.setAttribute('error.type', kind)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

function parseCode(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.constructor.name
}

/** Logs once when the collector fails and once when it is back, however many spans are lost in between. */
function reportFailures(exporter: SpanExporter, log: Logger): SpanExporter {
  let failing = false
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.error !== undefined
        if (failed && !failing) log.warn('Traces cannot be delivered', { error: result.error })
        if (!failed && failing) log.info('Traces are delivered again')
        failing = failed
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
  }
}
