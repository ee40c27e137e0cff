const SECRET_NAME =
  /authorization|cookie|passw|secret|token|api_?key|auth_?key|signing_?key|ticket|signature|credential|params/i
const SECRET_VALUE = [
  /\bsvc_(?:play_)?[A-Za-z0-9_-]{8,}/g,
  /\bBearer\s+[A-Za-z0-9._~+/=-]+/gi,
  /\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+/g,
  /(?<=\/\/[^\s/:@]*:)[^\s/@]+(?=@)/g,
  /(?<=[?&](?:signature|token|code|key)=)[^&\s"]+/gi,
]
/** One look that nearly every text passes, before the closer ones. */
const MAYBE_SECRET = /svc_|bearer|eyJ|:\/\/|(?:signature|token|code|key)=/i
const HIDDEN = '[redacted]'
const MAX_DEPTH = 6

/** A copy that is safe to log: secrets hidden by name and by shape, errors turned into plain data. */
export function redact(fields: Record<string, unknown>): Record<string, unknown> {
  return redactObject(fields, 0)
}

/** Hides what looks like a credential inside a text. */
export function redactText(text: string): string {
  if (!MAYBE_SECRET.test(text)) return text
  return SECRET_VALUE.reduce((result, pattern) => result.replace(pattern, HIDDEN), text)
}

/** Log lines have the same few names again and again. */
const knownNames = new Map<string, boolean>()

function isSecretName(name: string): boolean {
  const known = knownNames.get(name)
  if (known !== undefined) return known
  if (knownNames.size > 500) knownNames.clear()
  const isSecret = SECRET_NAME.test(name)
  knownNames.set(name, isSecret)
  return isSecret
}

function redactObject(value: object, depth: number): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const [name, entry] of Object.entries(value)) {
    const isHidden = isSecretName(name) && entry !== null && entry !== undefined && typeof entry !== 'boolean'
    result[name] = isHidden ? HIDDEN : redactValue(entry, depth + 1)
  }
  return result
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value)
  if (typeof value === 'bigint') return value.toString()
  if (value === null || typeof value !== 'object') return value
  if (depth > MAX_DEPTH) return '…'
  if (value instanceof Error) return redactError(value, depth)
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.slice(0, 50).map((entry) => redactValue(entry, depth + 1))
  return redactObject(value, depth)
}

/** Query errors repeat their parameters in the message; those may be anyone's data. */
function redactError(error: Error, depth: number): Record<string, unknown> {
  const message = error.message.replace(/\nparams:[\s\S]*$/, '')
  return {
    name: error.name,
    message: redactText(message),
    ...('code' in error ? { code: error.code } : {}),
    stack: redactText(
      (error.stack ?? '').replace(error.message, message).split('\n').slice(0, 12).join('\n'),
    ),
    ...(error.cause === undefined ? {} : { cause: redactValue(error.cause, depth + 1) }),
  }
}
