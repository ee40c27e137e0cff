import { exampleOf } from './examples.ts'
import { type HeaderGroup, headersOf } from './headers.ts'
import { type NamedSchemas, toDocumentSchema } from './schemas.ts'
import type { ResponseObject } from './types.ts'

export interface AnswerSources {
  /** A route's `response`: one schema, or one per status. */
  schemas: unknown
  /** A route's `detail.responses`: responses other than JSON, such as zips and redirects. */
  written: Record<string, ResponseObject>
}

export interface AnswerFacts {
  isLimited: boolean
  isCached: boolean
}

const MEANINGS: Readonly<Record<string, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted; the work goes on.',
  204: 'Done; there is nothing to say.',
  302: 'The answer is at the address in `Location`.',
  304: 'Nothing changed since the answer with this ETag.',
}

/** The responses a route declares, each with headers and an example. */
export function describeAnswers(
  { schemas, written }: AnswerSources,
  { isLimited, isCached }: AnswerFacts,
  named: NamedSchemas,
): Record<string, ResponseObject> {
  const groups: HeaderGroup[] = ['X-Request-Id']
  if (isLimited) groups.push('RateLimit')
  if (isCached) groups.push('Caching')
  const headers = headersOf(groups)

  const answers: Record<string, ResponseObject> = {}
  for (const [status, declared] of Object.entries(byStatus(schemas))) {
    const schema = toDocumentSchema(declared, 'response', named)
    const media = { schema, example: exampleOf(schema, named) }
    const description = schema.description ?? MEANINGS[status] ?? ''
    answers[status] = { description, headers, content: { 'application/json': media } }
  }
  for (const [status, response] of Object.entries(written)) {
    answers[status] = { ...response, headers: { ...headers, ...response.headers } }
  }
  if (Object.keys(answers).length === 0) answers[200] = { description: MEANINGS[200] ?? '', headers }
  if (isCached) answers[304] ??= { description: MEANINGS[304] ?? '', headers }
  return answers
}

function byStatus(schemas: unknown): Record<string, unknown> {
  if (typeof schemas !== 'object' || schemas === null) return {}
  const isTable = Object.keys(schemas).every((key) => /^\d{3}$/.test(key))
  return isTable ? { ...schemas } : { 200: schemas }
}
