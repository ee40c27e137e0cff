import { AppError } from '../errors.ts'

/** JSON bodies past this are refused; routes that take files read their streams themselves (`parse: 'none'`). */
export const JSON_BODY_LIMIT = 1024 * 1024

/** Reads a JSON body without ever holding more than the limit, whatever Content-Length claims. */
export async function readJsonBody(request: Request, contentType: string | null): Promise<unknown> {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json' && !type?.endsWith('+json')) {
    if (!hasBody(request)) return undefined
    throw new AppError('unsupported_media_type')
  }
  const text = await readText(request, JSON_BODY_LIMIT)
  try {
    // Postgres cannot keep a NUL character in a text, so no field takes one.
    if (text.includes(String.raw`\u0000`)) throw new SyntaxError('NUL characters are not allowed')
    const body: unknown = JSON.parse(text)
    if (hasHalfCharacter(text, body)) throw new SyntaxError('Halves of characters are not allowed')
    return body
  } catch (cause) {
    const issues = [{ path: '', message: 'The body is not valid JSON.' }]
    throw new AppError('invalid_request', { message: 'The body is not valid JSON.', data: { issues }, cause })
  }
}

export async function readText(request: Request, limit: number): Promise<string> {
  const declared = Number(request.headers.get('content-length') ?? Number.NaN)
  if (declared > limit) throw tooLarge(limit)
  if (declared >= 0) return await request.text()
  const decoder = new TextDecoder()
  let size = 0
  let text = ''
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > limit) throw tooLarge(limit)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** Half of a surrogate pair, which no JSON column can keep. Written out again, only halves are still escapes. */
function hasHalfCharacter(text: string, body: unknown): boolean {
  return /\\ud[89a-f]/i.test(text) && /(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(JSON.stringify(body))
}

function hasBody(request: Request): boolean {
  return request.body !== null && request.headers.get('content-length') !== '0'
}

function tooLarge(limit: number): AppError {
  return new AppError('too_large', { message: `The body is larger than ${limit} bytes.` })
}
