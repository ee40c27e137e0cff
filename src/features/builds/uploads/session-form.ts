import { AppError, invalidField } from '../../../errors.ts'
import { FORM_TYPE, isJsonType, mediaTypeOf, readJsonBody, readText } from '../../../http/input/body.ts'
import { show } from '../../../lib/text/show.ts'
import { CHECKSUM_IN_LAST_CHUNK, SESSION_FIELDS, type UploadFields } from './fields.ts'

const FORM_BYTES_MAX = 64 * 1024
/** Truncates unknown field names in messages. */
const NAME_MAX = 60

/** Accepts a form, where unknown fields are ignored, or JSON, where they are refused. */
export async function readSessionForm(request: Request): Promise<UploadFields> {
  const type = mediaTypeOf(request.headers.get('content-type'))
  if (type !== '' && type !== FORM_TYPE && !isJsonType(type)) {
    const message = `Send the body as ${FORM_TYPE} or application/json.`
    throw new AppError('unsupported_media_type', { message })
  }
  const fields =
    type === FORM_TYPE
      ? new Map(new URLSearchParams(await readText(request, FORM_BYTES_MAX)))
      : readJsonFields(await readJsonBody(request))
  for (const [name, value] of fields) {
    if (value.includes('\0')) throw invalidField(name, 'must not contain NUL characters.')
  }
  return fields
}

function readJsonFields(body: unknown): Map<string, string> {
  if (body === undefined) return new Map()
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalidField('', 'must be a form or a JSON object.')
  const fields = new Map<string, string>()
  for (const [name, value] of Object.entries(body)) {
    if (!SESSION_FIELDS.has(name)) throw unknownField(name)
    const isFlag = typeof value === 'boolean' && name === CHECKSUM_IN_LAST_CHUNK
    if (typeof value === 'string' || typeof value === 'number' || isFlag) fields.set(name, String(value))
    else if (value !== null) throw invalidField(name, `must be a text or a number, not ${show(value)}.`)
  }
  return fields
}

function unknownField(name: string): AppError {
  const known = [...SESSION_FIELDS].join(', ')
  return invalidField(name.slice(0, NAME_MAX), `is not a known field; there are ${known}.`)
}
