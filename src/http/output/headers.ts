import { NOT_STORED } from './caching.ts'

const API_POLICY = "default-src 'none'; frame-ancestors 'none'"
const EXPOSED =
  'ETag, X-Request-Id, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Checksum-Sha256'
const ALLOWED_REQUEST_HEADERS = [
  'Authorization, Content-Type, If-Match, If-None-Match, SVC_GAMES',
  'X-App-Id, X-Build-Id, X-Checksum-Sha256, X-Save-Device, X-Save-Note',
].join(', ')

/** `games` and `player` are for the bug reports of web builds. */
const SHARED_PATHS = /^\/api\/v1\/(?:public|extstore|games|player)(?:\/|$)/

type HeaderSet = Readonly<Record<string, string>>

interface AnswerHeaders {
  /** For paths that any website may read from a browser. */
  shared: HeaderSet
  own: HeaderSet
}

/**
 * Headers of every response, created once; pages replace the strict Content-Security-Policy with their own.
 */
export function createAnswerHeaders(baseUrl: string): AnswerHeaders {
  const common = {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'content-security-policy': API_POLICY,
    'cache-control': NOT_STORED,
    ...(baseUrl.startsWith('https:')
      ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }
      : {}),
  }
  return {
    own: { ...common, 'cross-origin-resource-policy': 'same-origin' },
    shared: {
      ...common,
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
      'access-control-expose-headers': EXPOSED,
    },
  }
}

/** The parts of the API that any website may call from a browser. */
export function isSharedPath(path: string): boolean {
  return SHARED_PATHS.test(path)
}

export function preflightHeaders(methods: readonly string[]): HeaderSet {
  return {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': ALLOWED_REQUEST_HEADERS,
    'access-control-max-age': '86400',
  }
}

/** Headers that isolate a page from other origins, which threads need; a frame is isolated only if the page around it is too. */
export const ISOLATION = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
} as const
