import { PLAY_FEATURES } from '../../../domain/play-origins.ts'
import type { AppError } from '../../../errors.ts'
import { ISOLATION } from '../../../http/output/headers.ts'

const SOURCES = "'self' 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' blob: data:"
const ALLOWED = [...PLAY_FEATURES, 'pointer-lock']
const DENIED = ['camera', 'microphone', 'geolocation', 'payment', 'usb', 'serial', 'bluetooth']

interface OriginHeaders {
  /** The headers of the game's files; a new object for every answer. */
  file(isIsolated: boolean): Record<string, string>
  /** The headers of pages that we generate. */
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

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;margin:0;min-height:100vh;display:grid;place-content:center;text-align:center;padding:1rem;box-sizing:border-box;background:#14161a;color:#eee}a{color:#8cc8ff}'

/**
 * A small page with a link back to the store. Inside the frame of the play page, where links are blocked, it
 * has text only.
 */
export function refusalPage({ headers }: Request, { message, data }: AppError, baseUrl: string): string {
  const target = typeof data?.browse_url === 'string' ? data.browse_url : baseUrl
  const link = target === baseUrl ? 'To the store' : 'To the page of the game'
  const isFramed = headers.get('sec-fetch-dest') === 'iframe'
  const way = isFramed ? 'Press Leave to go back.' : `<a href="${escape(target)}">${link}</a>`
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escape(message)}</title><style>${STYLE}</style><main><p>${escape(message)}</p><p>${way}</p></main></html>`
}

function escape(text: string): string {
  return Bun.escapeHTML(text)
}
