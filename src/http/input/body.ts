import { getSchemaValidator, type TSchema } from 'elysia'

import type { ErrorName } from '../../error-table.ts'
import { AppError, invalidField, invalidFields, type Issue, nulRefused } from '../../errors.ts'
import { JSON_DEPTH_MAX, JsonBeyondLimits, parseJson } from '../../lib/json.ts'
import { receive } from '../server/slow-lane.ts'
import { listIssues } from './issues.ts'

const NUL = '\0'
const found = new WeakMap<URLSearchParams, readonly string[]>()

/** The form without NUL characters; `nulFieldsOf` tells where they were, so that the form can be shown again. */
function withoutNuls(form: URLSearchParams): URLSearchParams {
  const entries = [...form]
  const fields = new Set(entries.flatMap(([name, value]) => (value.includes(NUL) ? [name] : [])))
  if (entries.some(([name]) => name.includes(NUL))) throw nulRefused()
  if (fields.size === 0) return form
  const cleaned = new URLSearchParams(
    entries.map(([name, value]): [string, string] => [name, value.replaceAll(NUL, '')]),
  )
  found.set(cleaned, [...fields])
  return cleaned
}

/** The fields that were sent with NUL characters. */
export function nulFieldsOf(form: URLSearchParams): readonly string[] {
  return found.get(form) ?? []
}

type Hook = (context: { body: unknown }) => void

/** The part of a route's declaration that concerns its body. */
interface BodyDeclaration {
  body?: TSchema
  parse?: unknown
  beforeHandle?: Hook | Hook[]
}

/**
 * Replaces how Elysia reads a body, which creates a stream for each, and its validation, whose error repeats the
 * body several times, indented: a few kilobytes of brackets become gigabytes. The check runs at the same point,
 * after those that need no body. A schema can name the error of its faults (`refusal: 'press_kit_invalid'`).
 */
export function takeOverBody(route: BodyDeclaration): void {
  route.parse = 'none'
  if (route.body === undefined) return
  const findIssues = createIssueFinder(route.body)
  const refusal = route.body.refusal as ErrorName | undefined
  const check: Hook = ({ body }) => {
    const issues = findIssues(body)
    if (issues) throw invalidFields(issues, refusal && { kind: refusal })
  }
  route.body = { ...route.body, noValidate: true }
  route.beforeHandle = [check, ...[route.beforeHandle ?? []].flat()]
}

/** Returns null for a value that fits the schema, which is compiled for the first one. */
export function createIssueFinder(schema: TSchema): (value: unknown) => Issue[] | null {
  let validator: ReturnType<typeof compile> | undefined
  return (value) => {
    validator ??= compile(schema)
    const isFine = validator.Check(value) || (value === undefined && validator.isOptional)
    return isFine ? null : listIssues(validator.Errors(value))
  }
}

function compile(schema: TSchema) {
  const validator = getSchemaValidator(schema, { normalize: false })
  if (validator.hasTransform) throw new Error('The schema of a body must not change what it checks')
  return validator
}

/**
 * Larger JSON bodies are rejected; routes that accept files read their streams themselves (`parse: 'none'`).
 */
export const JSON_BODY_LIMIT = 1024 * 1024
/** For operators: ten pages of 50,000 characters, even if every character is escaped. */
export const OPERATOR_BODY_LIMIT = 4 * 1024 * 1024
/** Five times the largest valid body, which is a hundred events with all their metadata. */
const JSON_PARTS_MAX = 20_000
const FORM_BODY_LIMIT = 1024 * 1024
export const FORM_TYPE = 'application/x-www-form-urlencoded'

/** Reads a JSON body without ever buffering more than the limit, whatever Content-Length claims. */
export async function readJsonBody(request: Request, limit = JSON_BODY_LIMIT): Promise<unknown> {
  if (!hasBody(request)) return undefined
  if (!isJsonType(mediaTypeOf(request.headers.get('content-type'))))
    throw new AppError('unsupported_media_type')
  const text = await readText(request, limit)
  try {
    // Postgres cannot store a NUL character in a text, so no field accepts one.
    if (text.includes(String.raw`\u0000`)) throw new SyntaxError('NUL characters are not allowed')
    const body = parseJson(text, { partsMax: JSON_PARTS_MAX })
    if (hasHalfCharacter(text, body)) throw new SyntaxError('Halves of characters are not allowed')
    return body
  } catch (cause) {
    if (cause instanceof JsonBeyondLimits) {
      throw cause.limit === 'depth' ? bodyTooDeep() : bodyTooWide(JSON_PARTS_MAX)
    }
    throw invalidField('', 'is not valid JSON.', { cause })
  }
}

/** The media type without parameters; empty if there is none. */
export function mediaTypeOf(contentType: string | null): string {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

export function isJsonType(mediaType: string): boolean {
  return mediaType === 'application/json' || mediaType.endsWith('+json')
}

/** Reads a form that browsers send without files. */
export async function readFormBody(request: Request): Promise<URLSearchParams> {
  if (!hasBody(request)) return new URLSearchParams()
  if (mediaTypeOf(request.headers.get('content-type')) !== FORM_TYPE)
    throw new AppError('unsupported_media_type', { message: `Send the body as ${FORM_TYPE}.` })
  return withoutNuls(new URLSearchParams(await readText(request, FORM_BODY_LIMIT)))
}

/** Reads a form without files, within this many bytes, or JSON. */
export async function readFormOrJson(request: Request, formBytesMax: number): Promise<unknown> {
  const type = mediaTypeOf(request.headers.get('content-type'))
  if (type === FORM_TYPE) return new URLSearchParams(await readText(request, formBytesMax))
  if (type === '' || isJsonType(type)) return await readJsonBody(request)
  const message = `Send the body as ${FORM_TYPE} or application/json.`
  throw new AppError('unsupported_media_type', { message })
}

export async function readText(request: Request, limit: number): Promise<string> {
  return await receive(request, () => readBounded(request, limit))
}

async function readBounded(request: Request, limit: number): Promise<string> {
  const declared = Number(request.headers.get('content-length') ?? Number.NaN)
  if (declared > limit) throw bodyTooLarge(limit)
  try {
    return declared >= 0 ? await request.text() : await collectText(request, limit)
  } catch (cause) {
    // The connection was closed: nobody reads the answer.
    throw cause instanceof AppError ? cause : invalidField('', 'ended early. Send it whole.', { cause })
  }
}

async function collectText(request: Request, limit: number): Promise<string> {
  const decoder = new TextDecoder()
  let size = 0
  let text = ''
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > limit) throw bodyTooLarge(limit)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

export function bodyTooDeep(): AppError {
  return invalidField('', `is nested more than ${JSON_DEPTH_MAX} levels deep.`)
}

export function bodyTooWide(limit: number): AppError {
  return new AppError('too_large', { message: `The body has more than ${limit} values.` })
}

export function bodyTooLarge(limit: number): AppError {
  return new AppError('too_large', { message: `The body is larger than ${limit} bytes.` })
}

/**
 * Finds unpaired surrogates, which no JSON column can store: they are the only ones `JSON.stringify` escapes.
 */
function hasHalfCharacter(text: string, body: unknown): boolean {
  return /\\ud[89a-f]/i.test(text) && /(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(JSON.stringify(body))
}

/** Reads the headers, because `request.body` creates a stream. The body of a GET is ignored. */
function hasBody({ method, headers }: Request): boolean {
  if (method === 'GET') return false
  const length = headers.get('content-length')
  return length === null ? headers.has('transfer-encoding') : length !== '0'
}
