import { Elysia } from 'elysia'

import { forLatest } from '../../lib/flow/for-latest.ts'
import { prepareJson, prepareResponse } from '../../lib/net/prepared.ts'
import type { HttpKit } from '../kit.ts'
import { describeCache } from '../output/caching.ts'
import { servePrepared } from '../output/pages.ts'
import { CACHE_RULE } from '../prepared.ts'
import { buildCatalog, CATALOG_PATH, CATALOG_TYPE } from './catalog.ts'
import type { Document } from './types.ts'
import { toYaml } from './yaml.ts'

const EXAMPLE = { openapi: '3.1.0', info: { title: 'Game store', version: '1.0.0' }, paths: {} }
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

/** Serves the API description. Each form is built on first use, when all routes are known. */
export function openapiRoutes(kit: HttpKit, baseUrl: string, readDocument: () => Document) {
  const toJson = forLatest((document: Document) => prepareJson(document))
  const toText = forLatest((document: Document) => prepareResponse(toYaml(document), 'application/yaml'))
  const catalog = prepareResponse(JSON.stringify(buildCatalog(baseUrl)), CATALOG_TYPE)

  return new Elysia({ name: 'openapi' })
    .use(kit)
    .get(
      '/api/v1/public/openapi.json',
      servePrepared(() => toJson(readDocument())),
      {
        visitor: true,
        limit: 'openapi',
        detail: describe('JSON', 'application/json', EXAMPLE),
      },
    )
    .get(
      '/api/v1/public/openapi.yaml',
      servePrepared(() => toText(readDocument())),
      {
        visitor: true,
        limit: 'openapi',
        detail: describe('YAML', 'application/yaml', toYaml(EXAMPLE)),
      },
    )
    .get(
      CATALOG_PATH,
      servePrepared(() => catalog, { link: `<${baseUrl}${CATALOG_PATH}>; rel="api-catalog"` }),
      { open: true, detail: { hide: true } },
    )
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
