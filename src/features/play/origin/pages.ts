import type { AppError } from '../../../errors.ts'

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;margin:0;min-height:100vh;display:grid;place-content:center;text-align:center;padding:1rem;box-sizing:border-box;background:#14161a;color:#eee}a{color:#8cc8ff}'

/** A small page that leads back to the store. The frame of the play page may not lead anywhere: there it only says so. */
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
