import { toOpenAPIPath } from '@elysiajs/swagger/utils'
import type { InternalRoute } from 'elysia'

import { forLatest } from '../../lib/flow/for-latest.ts'
import { once } from '../../lib/flow/once.ts'
import { VERSION } from '../../lib/version.ts'
import { Failure } from '../output/envelope.ts'
import { isSharedPath } from '../output/headers.ts'
import { HEADERS } from './headers.ts'
import { describeOperation } from './operation.ts'
import { toDocumentSchema } from './schemas.ts'
import { SECURITY_SCHEMES } from './security.ts'
import { TAGS } from './tags.ts'
import { type Components, type Document, METHODS, type PathItem } from './types.ts'

const OPERATIONAL = new Set(['/health', '/ready'])

const DESCRIPTION = `Search and read the catalog, download what is free, send crash reports, events and bug reports, and sign players in.

Successful answers are \`{"success": true, "data": …}\`, failures \`{"success": false, "error": {"code", "message"}}\`, some with a \`data\` object beside it. Codes are stable; messages are for people. Only the asset library answers with raw objects.

Ids are text. Times are ISO 8601 in UTC with milliseconds, money is in US cents. Lists take \`page\` and \`page_size\`. A JSON body has at most 1 MB, 64 levels and 20,000 values. Credentials travel in headers; cookies are never read here.`

export function isPublicPath(path: string): boolean {
  return isSharedPath(path) || OPERATIONAL.has(path)
}

/** Describes the routes of an app: the public ones, or those that `includes` selects. */
export function buildDocument(
  routes: readonly InternalRoute[],
  baseUrl: string,
  includes: (path: string) => boolean = isPublicPath,
): Document {
  const components: Components = {
    schemas: {},
    responses: {},
    headers: HEADERS,
    securitySchemes: {},
  }
  toDocumentSchema(Failure, 'response', components.schemas)
  const paths = describePaths(
    routes.filter(({ path }) => includes(path)),
    components,
  )
  const operations = Object.values(paths).flatMap((item) => Object.values(item))
  const tags = new Set(operations.flatMap((operation) => operation.tags))
  const schemes = new Set(operations.flatMap(({ security }) => security.flatMap(Object.keys)))
  components.securitySchemes = pick(SECURITY_SCHEMES, schemes)
  return {
    openapi: '3.1.0',
    info: {
      ...titled('Game store'),
      version: VERSION,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl, description: 'This store.' }],
    tags: TAGS.filter(({ name }) => tags.has(name)),
    paths,
    components,
  }
}

/** The document under the name of the store. It is built on first use, when all routes are known. */
export function createDocumentReader(
  app: { routes: readonly InternalRoute[] },
  baseUrl: string,
  readName: () => string,
): () => Document {
  const build = once(() => buildDocument(app.routes, baseUrl))
  const named = forLatest((name: string) => {
    const document = build()
    return { ...document, info: { ...document.info, ...titled(name) } }
  })
  return () => named(readName())
}

function titled(name: string) {
  return { title: name, summary: `The public API of ${name}.` }
}

function describePaths(routes: readonly InternalRoute[], components: Components): Document['paths'] {
  const paths: Document['paths'] = {}
  const sorted = routes.toSorted((a, b) => (a.path < b.path ? -1 : 1))
  for (const route of sorted) {
    const method = METHODS.find((name) => name === route.method.toLowerCase())
    if (!method || route.path.includes('*') || route.hooks.detail?.hide) continue
    const item: PathItem = (paths[toOpenAPIPath(route.path)] ??= {})
    item[method] = describeOperation(route, components)
  }
  return paths
}

function pick<Value>(
  table: Readonly<Record<string, Value>>,
  keys: ReadonlySet<string>,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(table).filter(([key]) => keys.has(key)))
}
