import { Elysia, type InternalRoute } from 'elysia'

import type { HttpKit } from '../kit.ts'
import { buildCatalog, CATALOG_PATH, CATALOG_TYPE } from './catalog.ts'
import { buildDocument } from './document.ts'
import { SCRIPT, STYLE } from './page/assets.ts'
import { renderReferencePage } from './page/reference-page.ts'
import { CACHE_RULE, prepareAnswer, type PreparedAnswer, sendPrepared } from './prepared.ts'
import { toYaml } from './yaml.ts'

const internal = { open: true, detail: { hide: true } } as const
const IMMUTABLE = 'public, max-age=31536000, immutable'
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const EXAMPLE = { openapi: '3.1.0', info: { title: 'Playshelf', version: '1.0.0' }, paths: {} }
const DOCUMENT_SCHEMA = {
  type: 'object' as const,
  required: ['openapi', 'info', 'paths'],
  properties: {
    openapi: { type: 'string' as const, description: 'The version of OpenAPI.' },
    info: { type: 'object' as const, additionalProperties: true },
    paths: { type: 'object' as const, additionalProperties: true },
  },
  additionalProperties: true,
}

/** Describes the API to programs and people. Everything is made on first use, when all routes are known. */
export function openapiRoutes(kit: HttpKit, baseUrl: string, listRoutes: () => readonly InternalRoute[]) {
  const readAnswers = once(() => {
    const document = buildDocument(listRoutes(), baseUrl)
    return {
      json: prepareAnswer(JSON.stringify(document), 'application/json'),
      yaml: prepareAnswer(toYaml(document), 'application/yaml'),
      page: prepareAnswer(renderReferencePage(document), 'text/html; charset=utf-8'),
    }
  })
  const catalog = prepareAnswer(JSON.stringify(buildCatalog(baseUrl)), CATALOG_TYPE)
  const styleAnswer = prepareAnswer(STYLE.text, 'text/css; charset=utf-8')
  const scriptAnswer = prepareAnswer(SCRIPT.text, 'text/javascript; charset=utf-8')

  return new Elysia({ name: 'openapi' })
    .use(kit)
    .get(
      '/api/v1/public/openapi.json',
      serve(() => readAnswers().json),
      { visitor: true, limit: 'openapi', detail: describe('JSON', 'application/json', EXAMPLE) },
    )
    .get(
      '/api/v1/public/openapi.yaml',
      serve(() => readAnswers().yaml),
      { visitor: true, limit: 'openapi', detail: describe('YAML', 'application/yaml', toYaml(EXAMPLE)) },
    )
    .get(
      CATALOG_PATH,
      serve(() => catalog, { link: `<${baseUrl}${CATALOG_PATH}>; rel="api-catalog"` }),
      internal,
    )
    .get(
      '/docs',
      serve(() => readAnswers().page, { 'content-security-policy': PAGE_POLICY }),
      internal,
    )
    .get(
      STYLE.path,
      serve(() => styleAnswer, { 'cache-control': IMMUTABLE }),
      internal,
    )
    .get(
      SCRIPT.path,
      serve(() => scriptAnswer, { 'cache-control': IMMUTABLE }),
      internal,
    )
}

interface AnswerContext {
  request: Request
  set: { headers: Record<string, string | number> }
}

function serve(read: () => PreparedAnswer, headers: Record<string, string> = {}) {
  return ({ request, set }: AnswerContext): Response => {
    Object.assign(set.headers, headers)
    return sendPrepared(read(), request, set.headers)
  }
}

function describe(form: string, type: string, example: unknown) {
  const schema = typeof example === 'string' ? { type: 'string' as const } : DOCUMENT_SCHEMA
  return {
    tags: ['API description'],
    summary: `This description as ${form}`,
    description: 'OpenAPI 3.1, made from the routes of the running program.',
    'x-cache': CACHE_RULE,
    responses: { 200: { description: 'The description.', content: { [type]: { schema, example } } } },
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => (made ??= { value: make() }).value
}
