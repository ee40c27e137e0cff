import { expect, test } from 'bun:test'

import { VERSION } from '../../../src/lib/version.ts'
import { waitForMail } from '../../helpers/mails.ts'
import { signUp } from '../../helpers/people.ts'
import { startLoggedServer } from '../../helpers/processes/logged-server.ts'
import {
  type ReceivedSpan,
  startTraceCollector,
  type TraceCollector,
} from '../../helpers/processes/trace-collector.ts'
import { waitFor } from '../../helpers/wait.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const CALLER = 'b7ad6b7169203331'

/** A server that ends waits for its last spans only so long: on a busy machine they come after it. */
async function waitForSpan(
  collector: TraceCollector,
  isIt: (span: ReceivedSpan) => boolean,
): Promise<ReceivedSpan> {
  return await waitFor('the span', () => collector.spans.find(isIt))
}

test('a request is one span of its caller’s trace, with its queries inside', async () => {
  await using collector = startTraceCollector()
  const server = await startLoggedServer({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=games',
    OTEL_SERVICE_NAME: 'shelf-under-test',
    TRUST_PROXY: '1',
  })
  const person = await signUp(server)
  const answer = await person.fetch('/api/v1/private/me?with=a-query', {
    headers: { traceparent: `00-${TRACE}-${CALLER}-01` },
  })
  expect(answer.status).toBe(200)
  await server.stop()

  const request = await waitForSpan(collector, (span) => span.traceId === TRACE && span.kind === 'server')
  const spans = collector.spans.filter((span) => span.traceId === TRACE)
  expect(request).toMatchObject({
    name: 'GET /api/v1/private/me',
    parentSpanId: CALLER,
    failed: false,
    attributes: {
      'http.request.method': 'GET',
      'http.route': '/api/v1/private/me',
      'http.response.status_code': 200,
      'url.scheme': 'http',
    },
    service: { 'service.name': 'shelf-under-test', 'service.version': VERSION },
  })
  const queries = spans.filter((span) => span.kind === 'client')
  expect(queries.length).toBeGreaterThan(0)
  for (const query of queries) {
    expect(query.parentSpanId).toBe(request.spanId)
    expect(query.attributes['db.system.name']).toBe('postgresql')
    expect(query.attributes['db.query.text']).toMatch(/select/i)
  }
  expect(collector.headers.every((headers) => headers.get('x-tenant') === 'games')).toBe(true)
  expect(server.lines.find((line) => line.route === '/api/v1/private/me')).toMatchObject({ trace_id: TRACE })
})

test('statements inside a transaction are traced too', async () => {
  await using collector = startTraceCollector()
  const server = await startLoggedServer({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, TRUST_PROXY: '1' })
  const person = await signUp(server)
  await person.json('POST', '/api/v1/private/player-keys', { label: 'for the test' })
  await server.stop()
  const created = await waitForSpan(collector, ({ name }) => name === 'POST /api/v1/private/player-keys')
  const inserts = collector.spans.filter(
    (span) => span.name === 'INSERT' && span.parentSpanId === created.spanId,
  )
  expect(inserts).toHaveLength(1)
  expect(inserts[0]?.attributes['db.query.text']).toContain('player_keys')
})

test('traces carry no path, no query and no value', async () => {
  await using collector = startTraceCollector()
  const server = await startLoggedServer({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, TRUST_PROXY: '1' })
  const person = await signUp(server)
  await server.fetch('/api/auth/reset-password/token-in-the-path?callbackURL=/secret-in-the-query')
  await server.fetch('/nowhere/token-in-a-wrong-path')
  await server.stop()
  await waitForSpan(collector, ({ name }) => name === 'GET')
  const sent = collector.bodies.join('\n')
  expect(collector.spans.map((span) => span.name)).toContain('GET /api/auth/*')
  expect(collector.spans.map((span) => span.name)).toContain('GET')
  for (const secret of ['token-in', 'secret-in', person.email, person.password, person.cookie]) {
    expect(sent).not.toContain(secret)
  }
})

test('a failure of ours is flagged, a caller’s is not', async () => {
  await using collector = startTraceCollector()
  const server = await startLoggedServer({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, TRUST_PROXY: '1' })
  const person = await signUp(server)
  await server.fetch('/nowhere')
  await server.dropDatabase()
  const broken = await person.fetch('/api/v1/private/me')
  expect(broken.status).toBeGreaterThanOrEqual(500)
  await server.stop()
  const named = (wanted: string) => waitForSpan(collector, ({ name }) => name === wanted)
  expect(await named('GET /api/v1/private/me')).toMatchObject({
    failed: true,
    attributes: { 'error.type': String(broken.status) },
  })
  expect(await named('GET')).toMatchObject({
    failed: false,
    attributes: { 'http.response.status_code': 404 },
  })
  expect(collector.spans.some((span) => span.kind === 'client' && span.failed)).toBe(true)
})

test('a job that ran in the thread is a span', async () => {
  await using collector = startTraceCollector()
  const server = await startLoggedServer({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    ROLE: 'all',
    LOG_LEVEL: 'silent',
    TRUST_PROXY: '1',
  })
  const { email } = await signUp(server)
  await waitForMail(server, email, 'Confirm your e-mail address')
  await server.stop()
  expect(await waitForSpan(collector, ({ name }) => name === 'job mail.send')).toMatchObject({
    kind: 'consumer',
    failed: false,
    attributes: { 'playshelf.job.task': 'mail.send', 'playshelf.job.outcome': 'done' },
  })
})

test('a caller who does not sample, and a ratio of 0, send nothing', async () => {
  await using collector = startTraceCollector()
  const settings = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces` }
  const all = await startLoggedServer(settings)
  await all.fetch('/ready', { headers: { traceparent: `00-${TRACE}-${CALLER}-00` } })
  await all.stop()
  const none = await startLoggedServer({ ...settings, OTEL_TRACES_SAMPLER_ARG: '0' })
  await none.fetch('/ready')
  await none.stop()
  expect(collector.spans).toEqual([])
})

test('a collector that is gone harms no request and does not hold up the end', async () => {
  const collector = startTraceCollector()
  await collector[Symbol.asyncDispose]()
  const server = await startLoggedServer({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => server.fetch('/api/v1/public/store-rules')),
  )
  expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 20 }, () => 200))
  await server.stop()
})

test('a collector that refuses is told in the log', async () => {
  await using collector = startTraceCollector(401)
  const server = await startLoggedServer({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  expect((await server.fetch('/api/v1/public/store-rules')).status).toBe(200)
  await server.stop()
  const told = () => server.lines.filter((line) => line.message === 'Traces cannot be delivered')
  await waitFor('the log line', () => told().length > 0)
  expect(told()).toHaveLength(1)
})
