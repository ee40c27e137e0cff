import type { Header, Reference } from './types.ts'

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
