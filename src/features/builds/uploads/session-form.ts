import { type AppError, invalidField } from '../../../errors.ts'
import { readJsonBody, readText } from '../../../http/body.ts'
import { show } from '../../../lib/show.ts'
import { CHECKSUM_IN_LAST_CHUNK, SESSION_FIELDS, type UploadFields } from './fields.ts'

const FORM_BYTES_MAX = 64 * 1024
/** Truncates unknown field names in messages. */
const NAME_MAX = 60

/** Accepts a form, where unknown fields are ignored, or JSON, where they are refused. */
export async function readSessionForm(request: Request): Promise<UploadFields> {
  const type = request.headers.get('content-type')
  const fields = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(type ?? '')
    ? new Map(new URLSearchParams(await readText(request, FORM_BYTES_MAX)))
    : readJsonFields(await readJsonBody(request))
  for (const [name, value] of fields) {
    if (value.includes('\0')) throw fault(name, 'NUL characters are not allowed.')
  }
  return fields
}

function readJsonFields(body: unknown): Map<string, string> {
  if (body === undefined) return new Map()
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw fault('', 'The body must be a JSON object.')
  const fields = new Map<string, string>()
  for (const [name, value] of Object.entries(body)) {
    if (!SESSION_FIELDS.has(name)) throw fault(name.slice(0, NAME_MAX), `${show(name)} is not a known field.`)
    const isFlag = typeof value === 'boolean' && name === CHECKSUM_IN_LAST_CHUNK
    if (typeof value === 'string' || typeof value === 'number' || isFlag) fields.set(name, String(value))
    else if (value !== null) throw fault(name, `${name} must be a string or a number.`)
  }
  return fields
}

function fault(path: string, message: string): AppError {
  return invalidField(path, message, { message: 'The body is not valid.' })
}
