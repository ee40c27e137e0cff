import { filterPaths, registerSchemaPath, toOpenAPIPath } from '@elysiajs/swagger/utils'
import type { InternalRoute } from 'elysia'

import { type LimitName, LIMITS, rowsFrom } from '../../domain/limit-table.ts'
import type { ErrorName } from '../../error-table.ts'
import { isListingWrite } from '../access/listing-writes.ts'
import type { CacheRule } from '../output/caching.ts'
import type { Access } from '../server/admission.ts'
import { exampleOf } from './examples.ts'
import { describeFailures } from './failures.ts'
import { createOperationId, describeLimit } from './names.ts'
import { describeAnswers } from './responses.ts'
import { type NamedSchemas, toDocumentSchema } from './schemas.ts'
import { ACCESS_RULES, securityOf } from './security.ts'
import type { Components, Operation, Parameter, RequestBody, ResponseObject, Schema } from './types.ts'

/** The `detail` of a route, including our own `x-*` keys. */
interface Draft {
  tags?: string[]
  summary?: string
  description?: string
  parameters?: (Omit<Parameter, 'schema'> & { examples?: unknown[]; schema: Schema })[]
  requestBody?: RequestBody
  'x-access'?: Access
  'x-scopes'?: string[]
  'x-limits'?: LimitName[]
  'x-errors'?: ErrorName[]
  'x-fresh'?: true
  'x-second-factor'?: string
  'x-cache'?: CacheRule
}

const IF_NONE_MATCH: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The ETag of the answer you have; 304 tells that it is still the current one.',
  schema: { type: 'string' },
}

const FRESH =
  'The session must have signed in or confirmed itself in the last 15 minutes (POST /api/v1/private/me/confirmation).'

export function describeOperation(route: InternalRoute, components: Components): Operation {
  const draft = readDraft(route)
  const access = draft['x-access'] ?? 'open'
  const named = [...(draft['x-limits'] ?? [])]
  if (isListingWrite(route.method, route.path)) named.push('listing_write')
  const limits = named.flatMap(rowsFrom)
  const isCached = draft['x-cache'] !== undefined
  const parameters = (draft.parameters ?? []).map((parameter) =>
    cleanParameter(parameter, components.schemas),
  )
  if (isCached) parameters.push(IF_NONE_MATCH)
  const sentences = [
    draft.description,
    ACCESS_RULES[access].sentence,
    draft['x-fresh'] && FRESH,
    ...limits.map((limit) => describeLimit(LIMITS[limit])),
  ]
  const failures = describeFailures(
    {
      access,
      limits,
      errors: [
        ...(draft['x-errors'] ?? []),
        ...(draft['x-fresh'] ? (['confirmation_needed'] as const) : []),
        ...(draft['x-second-factor'] ? (['second_factor_needed'] as const) : []),
      ],
      hasBody: draft.requestBody !== undefined,
      namesSomething: parameters.some((parameter) => parameter.in === 'path'),
    },
    components.responses,
  )
  const answers = describeAnswers(
    readAnswers(route),
    { isLimited: limits.length > 0, isCached },
    components.schemas,
  )
  return {
    operationId: createOperationId(route.method, toOpenAPIPath(route.path)),
    tags: draft.tags ?? [],
    summary: draft.summary ?? '',
    description: sentences.filter(Boolean).join('\n\n'),
    security: securityOf(access, draft['x-scopes'] ?? []),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(draft.requestBody ? { requestBody: cleanBody(draft.requestBody, components.schemas) } : {}),
    responses: { ...failures, ...answers },
  }
}

/**
 * The library maps path, parameters and body. It loses parts of response schemas, so we write responses
 * ourselves.
 */
function readDraft({ method, path, hooks }: InternalRoute): Draft {
  const paths = {}
  registerSchemaPath({ schema: paths, path, method, hook: { ...hooks, response: undefined }, models: {} })
  const operation = filterPaths(paths, { excludeStaticFile: false, exclude: [] })[toOpenAPIPath(path)]
  return JSON.parse(JSON.stringify(operation[method.toLowerCase()]))
}

function readAnswers({ hooks }: InternalRoute): {
  schemas: unknown
  written: Record<string, ResponseObject>
} {
  return { schemas: hooks.response, written: JSON.parse(JSON.stringify(hooks.detail?.responses ?? {})) }
}

function cleanParameter(
  { examples, schema, ...parameter }: NonNullable<Draft['parameters']>[number],
  named: NamedSchemas,
): Parameter {
  return {
    ...parameter,
    schema: toDocumentSchema(examples ? { ...schema, examples } : schema, 'request', named),
  }
}

function cleanBody(body: RequestBody, named: NamedSchemas): RequestBody {
  const json = body.content['application/json']
  const contents = Object.entries(json ? { 'application/json': json } : body.content)
  const content = contents.map(([type, media]) => {
    const schema = toDocumentSchema(media.schema, 'request', named)
    return [type, { example: exampleOf(schema, named), ...media, schema }]
  })
  return { ...body, content: Object.fromEntries(content) }
}
