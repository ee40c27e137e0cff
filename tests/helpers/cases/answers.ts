import type { InternalRoute } from 'elysia'

import { buildDocument, isPublicPath } from '../../../src/http/openapi/document.ts'
import { nameOfReference } from '../../../src/http/openapi/schemas.ts'
import {
  type Document,
  METHODS,
  type Operation,
  type ResponseObject,
} from '../../../src/http/openapi/types.ts'
import { createSchemaCheck, type SchemaCheck } from './answer-schemas.ts'

type Fetch = (path: string, init?: RequestInit) => Promise<Response>

const JSON_TYPE = 'application/json'
const FAILURE = { $ref: '#/components/schemas/Failure' }
/** better-auth returns its own bodies, and the MCP server those of its protocol. */
const FOREIGN = /^\/(?:api\/auth\/|mcp$)/

const checks = new WeakMap<Document, SchemaCheck>()

/** Public and private routes in one document, used only to check responses. It is not served. */
export function buildFullDocument(app: { routes: readonly InternalRoute[] }): Document {
  return buildDocument(app.routes, 'http://localhost', () => true)
}

/** Lists how a response deviates from the document; `body` is the parsed JSON. */
export function checkAnswer(
  document: Document,
  method: string,
  path: string,
  status: number,
  body: unknown,
  contentType: string = JSON_TYPE,
): string[] {
  if (FOREIGN.test(path) || status === 304) return []
  const found = findOperation(document, method, path)
  const described = found?.operation.responses[status]
  if (status >= 400) {
    const faults = found && !described && isPublicPath(found.template) ? ['the status is not described'] : []
    if (path.startsWith('/api/') || isJson(contentType)) faults.push(...checkOf(document)(FAILURE, body))
    return faults
  }
  if (!found) return path.startsWith('/api/v1/') ? ['no operation describes it'] : []
  if (!described) return ['the status is not described']
  const { content } = resolveResponse(document, described)
  const media = content?.[contentType]
  if (!media) return content || body !== undefined ? [`${contentType} is not described`] : []
  return isJson(contentType) ? checkOf(document)(media.schema, body) : []
}

/** Checks every response before the test gets it, and passes it on unchanged. */
export function createCheckedFetch(fetch: Fetch, document: Document): Fetch {
  return async (path, init) => {
    const answer = await fetch(path, init)
    const method = init?.method ?? 'GET'
    if (method === 'HEAD' || method === 'OPTIONS') return answer
    const contentType = answer.headers.get('content-type')?.split(';', 1)[0]
    const body = isJson(contentType) ? await readBody(answer.clone()) : undefined
    const pathname = path.split(/[?#]/, 1)[0] ?? path
    const faults = checkAnswer(document, method, pathname, answer.status, body, contentType ?? '')
    if (faults.length > 0) {
      throw new Error(`${method} ${pathname} answered ${answer.status}: ${faults.join('; ')}`)
    }
    return answer
  }
}

async function readBody(answer: { text(): Promise<string> }): Promise<unknown> {
  const text = await answer.text()
  return text === '' ? undefined : JSON.parse(text)
}

function checkOf(document: Document): SchemaCheck {
  const check = checks.get(document) ?? createSchemaCheck(document)
  checks.set(document, check)
  return check
}

/** The template with the fewest parameters wins, as in the router. */
function findOperation(
  document: Document,
  method: string,
  path: string,
): { template: string; operation: Operation } | null {
  const name = METHODS.find((candidate) => candidate === method.toLowerCase())
  if (!name) return null
  const candidates = Object.entries(document.paths)
    .flatMap(([template, item]) => {
      const operation = item[name]
      return operation && matches(template, path) ? [{ template, operation }] : []
    })
    .sort((a, b) => a.template.split('{').length - b.template.split('{').length)
  return candidates[0] ?? null
}

function matches(template: string, path: string): boolean {
  const wanted = template.split('/')
  const given = path.replace(/(?<=.)\/$/, '').split('/')
  return (
    wanted.length === given.length &&
    wanted.every((segment, index) => segment.startsWith('{') || segment === given[index])
  )
}

function resolveResponse({ components }: Document, response: Operation['responses'][string]): ResponseObject {
  if (!('$ref' in response)) return response
  return components.responses[nameOfReference(response.$ref)] ?? { description: '' }
}

function isJson(contentType: string | undefined): boolean {
  return contentType === JSON_TYPE
}
