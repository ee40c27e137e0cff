import { PLAY_FEATURES } from '../../../domain/play-origins.ts'
import { ISOLATION } from '../../../lib/net/isolation.ts'

const SOURCES = "'self' 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' blob: data:"
const ALLOWED = [...PLAY_FEATURES, 'pointer-lock']
const DENIED = ['camera', 'microphone', 'geolocation', 'payment', 'usb', 'serial', 'bluetooth']

export interface OriginHeaders {
  /** Of the game's files; a new object for every answer. */
  file(isIsolated: boolean): Record<string, string>
  /** Of pages that we write ourselves. */
  page(): Record<string, string>
}

export function createOriginHeaders(baseUrl: string): OriginHeaders {
  const common = {
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'permissions-policy': [
      ...ALLOWED.map((feature) => `${feature}=(self)`),
      ...DENIED.map((feature) => `${feature}=()`),
    ].join(', '),
  }
  const ending = `object-src 'none'; base-uri 'self'; form-action 'none'; frame-ancestors ${baseUrl}`
  const file = {
    ...common,
    'content-security-policy': `script-src ${SOURCES}; worker-src ${SOURCES}; connect-src 'self' ${baseUrl} https: wss: blob: data:; ${ending}`,
  }
  const isolated = { ...file, ...ISOLATION }
  const page = {
    ...common,
    ...ISOLATION,
    'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; ${ending}`,
    'content-type': 'text/html;charset=utf-8',
    'cache-control': 'no-store',
  }
  return {
    file: (isIsolated) => ({ ...(isIsolated ? isolated : file) }),
    page: () => ({ ...page }),
  }
}
