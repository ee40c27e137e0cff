import { Elysia, type InternalRoute } from 'elysia'

import { prepareJson, prepareResponse } from '../../lib/net/prepared.ts'
import type { HttpKit } from '../kit.ts'
import { describeCache } from '../output/caching.ts'
import { pagePolicy, serveAsset, servePrepared } from '../output/pages.ts'
import { CACHE_RULE } from '../prepared.ts'
import { buildCatalog, CATALOG_PATH, CATALOG_TYPE } from './catalog.ts'
import { buildDocument } from './document.ts'
import { SCRIPT, STYLE } from './page/assets.ts'
import { renderReferencePage } from './page/reference-page.ts'
import { toYaml } from './yaml.ts'

const internal = { open: true, detail: { hide: true } } as const
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

/** Serves the API description. Everything is built on first use, when all routes are known. */
export function openapiRoutes(kit: HttpKit, baseUrl: string, listRoutes: () => readonly InternalRoute[]) {
  const readForms = once(() => {
    const document = buildDocument(listRoutes(), baseUrl)
    return {
      json: prepareJson(document),
      yaml: prepareResponse(toYaml(document), 'application/yaml'),
      page: prepareResponse(renderReferencePage(document), 'text/html; charset=utf-8'),
    }
  })
  const catalog = prepareResponse(JSON.stringify(buildCatalog(baseUrl)), CATALOG_TYPE)

  return new Elysia({ name: 'openapi' })
    .use(kit)
    .get(
      '/api/v1/public/openapi.json',
      servePrepared(() => readForms().json),
      { visitor: true, limit: 'openapi', detail: describe('JSON', 'application/json', EXAMPLE) },
    )
    .get(
      '/api/v1/public/openapi.yaml',
      servePrepared(() => readForms().yaml),
      { visitor: true, limit: 'openapi', detail: describe('YAML', 'application/yaml', toYaml(EXAMPLE)) },
    )
    .get(
      CATALOG_PATH,
      servePrepared(() => catalog, { link: `<${baseUrl}${CATALOG_PATH}>; rel="api-catalog"` }),
      internal,
    )
    .get(
      '/docs',
      servePrepared(() => readForms().page, { 'content-security-policy': pagePolicy(["'none'"]) }),
      internal,
    )
    .get(STYLE.path, serveAsset(STYLE), internal)
    .get(SCRIPT.path, serveAsset(SCRIPT), internal)
}

function describe(form: string, type: string, example: unknown) {
  const schema = typeof example === 'string' ? { type: 'string' as const } : DOCUMENT_SCHEMA
  return {
    tags: ['API description'],
    summary: `This description as ${form}`,
    description: 'OpenAPI 3.1, made from the routes of the running program.',
    ...describeCache(CACHE_RULE),
    responses: { 200: { description: 'The description.', content: { [type]: { schema, example } } } },
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => (made ??= { value: make() }).value
}
