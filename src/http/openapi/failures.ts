import { type LimitName, type LimitRow, LIMITS } from '../../domain/limit-table.ts'
import { type ErrorName, ERRORS } from '../../error-table.ts'
import { AppError, toEnvelope } from '../../errors.ts'
import type { Access } from '../server/admission.ts'
import { headersOf } from './headers.ts'
import type { Components, Reference, ResponseObject } from './types.ts'

export interface FailureFacts {
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
  website: ['unauthorized', 'forbidden', 'wrong_credential_kind'],
  website_or_agent: ['unauthorized', 'forbidden', 'scope_missing', 'wrong_credential_kind'],
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

/** Declares the errors a route throws itself: `detail: { tags, summary, ...failsWith('still_scanning') }`. */
export function failsWith(...errors: ErrorName[]): object {
  return { 'x-errors': errors }
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
