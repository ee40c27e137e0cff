import { type LimitName, type LimitRow, LIMITS } from '../../domain/limit-table.ts'
import { type ErrorName, ERRORS } from '../../error-table.ts'
import { AppError, toEnvelope } from '../../errors.ts'
import type { Access } from '../server/admission.ts'
import type { Components, Header, Reference, ResponseObject } from './types.ts'

interface FailureFacts {
  access: Access
  limits: readonly LimitName[]
  /** The route's own errors, besides those derived from its declaration. */
  errors: readonly ErrorName[]
  hasBody: boolean
  namesSomething: boolean
}

const PLAYER_FAILURES = ['unauthorized', 'scope_missing', 'wrong_credential_kind'] as const

const BY_ACCESS: Readonly<Record<Access, readonly ErrorName[]>> = {
  open: [],
  page: ['forbidden'],
  visitor: PLAYER_FAILURES,
  player: PLAYER_FAILURES,
  reporter: PLAYER_FAILURES,
  saver: PLAYER_FAILURES,
  website: ['unauthorized', 'forbidden', 'wrong_credential_kind'],
  website_or_agent: ['unauthorized', 'forbidden', 'scope_missing', 'wrong_credential_kind'],
  website_or_player: ['unauthorized', 'forbidden', 'scope_missing', 'wrong_credential_kind'],
  agent: ['unauthorized', 'forbidden', 'wrong_credential_kind'],
  deploy_key: [
    'access_token_missing',
    'secret_key_missing',
    'deploy_key_unknown',
    'deploy_key_revoked',
    'deploy_key_invalid',
  ],
  game_server: ['game_auth_key_invalid', 'rate_limited'],
  operator: ['not_found', 'confirmation_needed', 'second_factor_needed'],
}

/** Lists the error responses of a route by status, each stored once under components. */
export function describeFailures(
  facts: FailureFacts,
  responses: Components['responses'],
): Record<string, Reference> {
  const byStatus = Map.groupBy(failuresOf(facts), (name) => ERRORS[name][1])
  return Object.fromEntries(
    [...byStatus].map(([status, names]) => {
      const key = names.join('-or-')
      responses[key] ??= describeFailure(names, status === 429)
      return [status, { $ref: `#/components/responses/${key}` }]
    }),
  )
}

function failuresOf({ access, limits, errors, hasBody, namesSomething }: FailureFacts): ErrorName[] {
  const names: ErrorName[] = ['invalid_request', ...BY_ACCESS[access]]
  if (namesSomething) names.push('not_found')
  // A body is saved, which needs room.
  if (hasBody) names.push('too_large', 'unsupported_media_type', 'storage_full')
  for (const limit of limits) {
    const row: LimitRow = LIMITS[limit]
    names.push(row.error ?? 'rate_limited')
  }
  return [...new Set([...names, ...errors, 'internal' as const, 'service_down' as const])]
}

function describeFailure(names: readonly ErrorName[], isLimit: boolean): ResponseObject {
  const lines = names.map((name) => `${ERRORS[name][0]}: ${ERRORS[name][2]}`)
  const examples = names.map((name) => [
    name,
    { summary: ERRORS[name][2], value: toEnvelope(new AppError(name)) },
  ])
  return {
    description: lines.length === 1 ? (lines[0] ?? '') : lines.map((line) => `- ${line}`).join('\n'),
    headers: headersOf(isLimit ? ['X-Request-Id', 'RateLimit', 'Retry-After'] : ['X-Request-Id']),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Failure' },
        examples: Object.fromEntries(examples),
      },
    },
  }
}

/** Of routes that name a listing. */
export const MOVED = {
  301: { description: 'The listing has another name now; the answer is at the address in `Location`.' },
}

export const HEADERS = {
  'X-Request-Id': {
    description: 'Names this request in our logs; tell it when you report a fault.',
    schema: { type: 'string', examples: ['01980f5e-7a31-7c24-9d0b-52c1f6a3e8b4'] },
  },
  'RateLimit-Limit': {
    description: 'How many requests the tightest limit of this route allows in its window.',
    schema: { type: 'integer', examples: [120] },
  },
  'RateLimit-Remaining': {
    description: 'How many of them are left.',
    schema: { type: 'integer', examples: [119] },
  },
  'RateLimit-Reset': {
    description: 'Seconds until the next window begins.',
    schema: { type: 'integer', examples: [60] },
  },
  'Retry-After': {
    description: 'Seconds to wait before the next try.',
    schema: { type: 'integer', examples: [42] },
  },
  ETag: {
    description: 'Changes with the answer; send it as `If-None-Match` to learn cheaply that nothing changed.',
    schema: { type: 'string', examples: ['"2vqrp4z7d1c0k"'] },
  },
  'Cache-Control': {
    description: 'How long the answer may be kept; answers to a credential are private.',
    schema: { type: 'string', examples: ['public, max-age=60, must-revalidate'] },
  },
} as const satisfies Record<string, Header>

const GROUPS = {
  'X-Request-Id': ['X-Request-Id'],
  RateLimit: ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
  'Retry-After': ['Retry-After'],
  Caching: ['ETag', 'Cache-Control'],
} as const satisfies Record<string, readonly (keyof typeof HEADERS)[]>

export type HeaderGroup = keyof typeof GROUPS

export function headersOf(groups: readonly HeaderGroup[]): Record<string, Reference> {
  const names = groups.flatMap((group): readonly string[] => GROUPS[group])
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
