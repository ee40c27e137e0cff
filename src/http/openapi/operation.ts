import { filterPaths, registerSchemaPath, toOpenAPIPath } from '@elysiajs/swagger/utils'
import type { InternalRoute } from 'elysia'

import { type LimitName, type LimitRow, LIMITS, rowsFrom } from '../../domain/limit-table.ts'
import type { ErrorName } from '../../error-table.ts'
import { isListingWrite } from '../access/listing-writes.ts'
import type { CacheRule } from '../output/caching.ts'
import type { Access } from '../server/admission.ts'
import { describeFailures, type HeaderGroup, headersOf } from './failures.ts'
import { exampleOf, type NamedSchemas, toDocumentSchema } from './schemas.ts'
import type {
  Components,
  Operation,
  Parameter,
  RequestBody,
  ResponseObject,
  Schema,
  SecurityRequirement,
  SecurityScheme,
} from './types.ts'

export const SECURITY_SCHEMES = {
  player: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A player key (`svc_play_…`, made in the account settings) or a player token of the authorization server, with the scope that the route names, `player:read` where it names none.',
  },
  player_header: {
    type: 'apiKey',
    in: 'header',
    name: 'SVC_GAMES',
    description:
      'The same key or token for clients that cannot set `Authorization`, which wins when both are sent.',
  },
  save_visit: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A token of 15 minutes for the saves of one game, which its play page hands to the frame after the player allowed it.',
  },
  store_session: {
    type: 'http',
    scheme: 'bearer',
    description: 'A session token that the external-store sign-in issued for the same game.',
  },
  deploy_key: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Access-Token',
    description: 'The access token of a deploy key; needs `X-Secret-Key` beside it.',
  },
  deploy_key_secret: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Secret-Key',
    description: 'The secret key of the same deploy key.',
  },
  game_server: {
    type: 'http',
    scheme: 'bearer',
    description: 'The auth key of the game, held by the developer’s own servers only.',
  },
} as const satisfies Record<string, SecurityScheme>

interface AccessRule {
  security: readonly SecurityRequirement[]
  sentence: string
}

const PLAYER_WAYS: readonly SecurityRequirement[] = [{ player: [] }, { player_header: [] }]

const ACCESS_RULES: Readonly<Record<Access, AccessRule>> = {
  open: { security: [], sentence: 'Anyone may call this; no credential is looked at.' },
  page: { security: [{}, { website: [] }], sentence: 'A page of the website.' },
  visitor: {
    security: [{}, ...PLAYER_WAYS],
    sentence:
      'No credential is needed. A player’s key or token may be sent; a bad one is refused, never ignored.',
  },
  player: { security: PLAYER_WAYS, sentence: 'Needs a player’s key or token.' },
  reporter: {
    security: [...PLAYER_WAYS, { store_session: [] }],
    sentence:
      'Needs a player’s key or token with the scope `player:bugs`, or a session token of the external-store sign-in for this game.',
  },
  saver: {
    security: [...PLAYER_WAYS, { save_visit: [] }, { store_session: [] }],
    sentence:
      'Needs a player’s key or token with the scope `player:saves`, the token of a visit to the web game, or a session token of the external-store sign-in for this game whose player has an account here.',
  },
  website: { security: [{ website: [] }], sentence: 'Needs a session of the website.' },
  website_or_agent: {
    security: [{ website: [] }, { agent: [] }],
    sentence: 'Needs a session of the website or an agent’s token.',
  },
  website_or_player: {
    security: [{ website: [] }, ...PLAYER_WAYS],
    sentence: 'Needs a session of the website, or a player’s key or token.',
  },
  agent: { security: [{ agent: [] }], sentence: 'Needs an agent’s token.' },
  deploy_key: {
    security: [{ deploy_key: [], deploy_key_secret: [] }],
    sentence: 'Needs a deploy key of the game.',
  },
  game_server: { security: [{ game_server: [] }], sentence: 'Needs the auth key of the game.' },
  operator: { security: [{ website: [] }], sentence: 'For operators; everyone else gets 404.' },
}

/** The scope a route requires applies to every way of sending the credential. */
function securityOf(access: Access, scopes: readonly string[]): SecurityRequirement[] {
  return ACCESS_RULES[access].security.map((requirement) =>
    Object.fromEntries(Object.keys(requirement).map((scheme) => [scheme, [...scopes]])),
  )
}

const COUNTED: Readonly<Record<LimitRow['per'], string>> = {
  ip: 'per IP address',
  ip_and_origin: 'per IP address and play origin',
  visitor: 'per visitor',
  game: 'per game',
  account: 'per account',
  account_and_listing: 'per account to one listing, all of its private writes together',
  token: 'per token',
  mailbox: 'per mailbox',
  everyone: 'from all callers together',
}

/** `GET /api/v1/public/games/{game_id}/press.zip` is `getGamesByGameIdPressZip`. */
export function createOperationId(method: string, path: string): string {
  const segments = path.replace(/^\/api\/v\d+\/(public\/)?/, '/').split('/')
  const words = segments.map((segment) => {
    const name = segment
      .split(/[^a-zA-Z0-9]+/)
      .map(capitalise)
      .join('')
    return segment.startsWith('{') ? `By${name}` : name
  })
  return method.toLowerCase() + words.join('')
}

const WINDOWS: ReadonlyMap<number, string> = new Map([
  [60, 'a minute'],
  [3600, 'an hour'],
  [86_400, 'a day'],
])

export function describeLimit({ max, windowSeconds, per }: LimitRow): string {
  const window = WINDOWS.get(windowSeconds) ?? `in ${windowSeconds} s`
  return `At most ${max.toLocaleString('en')} requests ${window} ${COUNTED[per]}.`
}

function capitalise(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

interface AnswerSources {
  /** A route's `response`: one schema, or one per status. */
  schemas: unknown
  /** A route's `detail.responses`: responses other than JSON, such as zips and redirects. */
  written: Record<string, ResponseObject>
}

interface AnswerFacts {
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
function describeAnswers(
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
  const draft = toDraft(route)
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
    toAnswers(route),
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
function toDraft({ method, path, hooks }: InternalRoute): Draft {
  const paths = {}
  registerSchemaPath({ schema: paths, path, method, hook: { ...hooks, response: undefined }, models: {} })
  const operation = filterPaths(paths, { excludeStaticFile: false, exclude: [] })[toOpenAPIPath(path)]
  return JSON.parse(JSON.stringify(operation[method.toLowerCase()]))
}

function toAnswers({ hooks }: InternalRoute): {
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
