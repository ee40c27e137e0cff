import addFormats from 'ajv-formats'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { InternalRoute } from 'elysia'

import { buildDocument, isPublicPath } from '../../../src/http/openapi/document.ts'
import { mapInner, nameOfReference, resolveSchema } from '../../../src/http/openapi/schemas.ts'
import {
  type Document,
  METHODS,
  type Operation,
  type ResponseObject,
  type Schema,
} from '../../../src/http/openapi/types.ts'

type Fetch = (path: string, init?: RequestInit) => Promise<Response>

const JSON_TYPE = 'application/json'
const FAILURE = { $ref: '#/components/schemas/Failure' }
/** better-auth returns its own bodies, and the MCP server those of its protocol. */
const FOREIGN = /^\/(?:api\/auth\/|mcp$)/

/** A document made ready for many questions. */
interface Description {
  check: SchemaCheck
  findOperation(method: string, path: string): Found | null
}

interface Found {
  template: string
  operation: Operation
}

const descriptions = new WeakMap<Document, Description>()
const documents = new Map<string, Document>()

/** The full document of an app. Apps with the same routes share one: it does not depend on their settings. */
export function shareFullDocument(app: { routes: readonly InternalRoute[] }): Document {
  const key = app.routes.map(({ method, path }) => `${method} ${path}`).join('\n')
  const document = documents.get(key) ?? buildFullDocument(app)
  documents.set(key, document)
  return document
}

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
  const { check, findOperation } = describe(document)
  const found = findOperation(method, path)
  const described = found?.operation.responses[status]
  if (status >= 400) {
    const faults = found && !described && isPublicPath(found.template) ? ['the status is not described'] : []
    if (path.startsWith('/api/') || isJson(contentType)) faults.push(...check(FAILURE, body))
    return faults
  }
  if (!found) return path.startsWith('/api/v1/') ? ['no operation describes it'] : []
  if (!described) return ['the status is not described']
  const { content } = resolveResponse(document, described)
  const media = content?.[contentType]
  if (!media) return content || body !== undefined ? [`${contentType} is not described`] : []
  return isJson(contentType) ? check(media.schema, body) : []
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

function describe(document: Document): Description {
  const known = descriptions.get(document)
  if (known) return known
  const made = { check: createSchemaCheck(document), findOperation: createFinder(document) }
  descriptions.set(document, made)
  return made
}

/** The template with the fewest parameters wins, as in the router. */
function createFinder({ paths }: Document): Description['findOperation'] {
  const templates = Object.entries(paths)
    .map(([template, item]) => ({ template, item, wanted: template.split('/') }))
    .sort((a, b) => a.template.split('{').length - b.template.split('{').length)
  return (method, path) => {
    const name = METHODS.find((candidate) => candidate === method.toLowerCase())
    if (!name) return null
    const given = path.replace(/(?<=.)\/$/, '').split('/')
    for (const { template, item, wanted } of templates) {
      const operation = item[name]
      if (operation && matches(wanted, given)) return { template, operation }
    }
    return null
  }
}

function matches(wanted: readonly string[], given: readonly string[]): boolean {
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

type SchemaCheck = (schema: Schema, value: unknown) => string[]

/**
 * Validates values against the document's schemas. A field that no schema lists is an error: it is
 * undocumented.
 */
function createSchemaCheck({ components }: Document): SchemaCheck {
  // Compiling the checks takes longer than running them.
  const ajv = new Ajv2020({ allErrors: true, strict: false, code: { optimize: false } })
  addFormats.default(ajv)
  const named = components.schemas
  // Each under its own name, so that it is compiled once for all that refer to it.
  for (const [name, schema] of Object.entries(named)) ajv.addSchema(close(schema), name)
  const compiled = new WeakMap<Schema, ValidateFunction>()

  return (schema, value) => {
    const validate = compiled.get(schema) ?? ajv.compile(close(schema))
    compiled.set(schema, validate)
    if (validate(value)) return []
    return (validate.errors ?? []).map(({ instancePath, message, params }) => {
      const name = 'unevaluatedProperty' in params ? ` (${String(params.unevaluatedProperty)})` : ''
      return `${instancePath || '/'} ${message}${name}`
    })
  }

  function close(schema: Schema): Schema {
    const parts = schema.allOf?.map(open)
    const closed = mapInner(schema, close)
    if (schema.$ref) closed.$ref = nameOfReference(schema.$ref)
    if (parts) closed.allOf = parts
    const names = schema.properties !== undefined || parts !== undefined
    return names && schema.additionalProperties === undefined
      ? { ...closed, unevaluatedProperties: false }
      : closed
  }

  /** Parts of an `allOf` list only their own fields, so only the whole is checked for unlisted ones. */
  function open(part: Schema): Schema {
    const resolved = resolveSchema(part, named)
    const opened = mapInner(resolved, close)
    if (resolved.allOf) opened.allOf = resolved.allOf.map(open)
    return opened
  }
}
