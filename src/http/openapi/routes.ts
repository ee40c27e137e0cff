import { Elysia } from 'elysia'

import { forLatest } from '../../lib/flow/memoize.ts'
import { prepareJson, prepareResponse } from '../../lib/net/prepared-response.ts'
import type { HttpKit } from '../kit.ts'
import { CACHE_RULE, describeCache } from '../output/caching.ts'
import { servePrepared } from '../output/pages.ts'
import type { Document } from './types.ts'

const CATALOG_PATH = '/.well-known/api-catalog'
const CATALOG_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

/** The API catalog of RFC 9727: links to the description and the documentation of our API. */
function buildCatalog(baseUrl: string) {
  return {
    linkset: [
      {
        anchor: `${baseUrl}/api/v1/public`,
        'service-desc': [
          {
            href: `${baseUrl}/api/v1/public/openapi.json`,
            type: 'application/json',
            title: 'OpenAPI 3.1 as JSON',
          },
          {
            href: `${baseUrl}/api/v1/public/openapi.yaml`,
            type: 'application/yaml',
            title: 'OpenAPI 3.1 as YAML',
          },
        ],
        'service-doc': [{ href: `${baseUrl}/docs`, type: 'text/html', title: 'API reference' }],
        status: [{ href: `${baseUrl}/ready`, type: 'application/json' }],
      },
    ],
  }
}

/** Older YAML parsers read an unquoted date as a date, where the document means a text. */
const BARE_DATE = /^(\s*(?:- )*(?:[^"\n]*: )?)(\d{4}-\d\d-\d\d\S*)$/gm

export function toYaml(value: unknown): string {
  return `${Bun.YAML.stringify(value, null, 2).replace(BARE_DATE, '$1"$2"')}\n`
}

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
