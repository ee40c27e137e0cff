type Fields = Record<string, unknown>

const SECRET_NAME =
  /authorization|cookie|passw|secret|token|api_?key|auth_?key|signing_?key|ticket|signature|credential|params/i
/**
 * Each pattern either fails within a fixed number of characters or consumes what it read, so matching is
 * linear.
 */
const SECRET_VALUE: readonly [pattern: RegExp, shown: string][] = [
  [/\bsvc_(?:play_)?[A-Za-z0-9_-]{8,}/g, '[redacted]'],
  [/\bBearer\s{1,8}[A-Za-z0-9._~+/=-]+/gi, '[redacted]'],
  [/\beyJ[A-Za-z0-9._-]{16,}/g, '[redacted]'],
  // The password in a URL; the ellipsis is where a text was cut.
  [/(\/\/[^\s/:@]{0,200}:)[^\s/@]{1,500}(?=@|…$)/g, '$1[redacted]'],
  [
    /([?&][\w.-]{0,40}(?:signature|credential|password|secret|ticket|token|state|code|key|sig)=)[^&\s"]+/gi,
    '$1[redacted]',
  ],
]
/** A cheap first check: nearly every text has none of these and skips the slower patterns. */
const MAYBE_SECRET = /svc_|bearer|eyJ|\/\/|[?&]/i
const HIDDEN = '[redacted]'
const MAX_DEPTH = 6
const MAX_ENTRIES = 50
const STACK_LINES = 12
/** Longer texts are cut, so that no request can fill the log. */
const MAX_TEXT = 8000

/**
 * Adds a copy that is safe to log to the target: secrets are hidden by name and by shape, errors become plain data,
 * everything is bounded.
 */
export function redact<Target extends Fields>(fields: Fields, target: Target): Target
export function redact(fields: Fields): Fields
export function redact(fields: Fields, target: Fields = {}): Fields {
  return redactObject(fields, 0, target)
}

/** Hides credentials inside a text. */
export function redactText(text: string): string {
  const shown = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
  if (!MAYBE_SECRET.test(shown)) return shown
  return SECRET_VALUE.reduce((result, [pattern, hidden]) => result.replace(pattern, hidden), shown)
}

/** Log lines use the same few names, so the first of them are cached; a full LRU would cost more than the test. */
const knownNames = new Map<string, boolean>()
const MAX_KNOWN_NAMES = 500

function isSecretName(name: string): boolean {
  const known = knownNames.get(name)
  if (known !== undefined) return known
  const isSecret = SECRET_NAME.test(name)
  if (knownNames.size < MAX_KNOWN_NAMES) knownNames.set(name, isSecret)
  return isSecret
}

function redactObject(value: Fields, depth: number, result: Fields = {}): Fields {
  const names = Object.keys(value)
  if (names.length > MAX_ENTRIES) names.length = MAX_ENTRIES
  for (const name of names) {
    const entry = value[name]
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
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map((entry) => redactValue(entry, depth + 1))
  return redactObject(value as Fields, depth)
}

/** Query errors repeat their parameters, which may be personal data, in the message. */
function redactError(error: Error, depth: number): Fields {
  const message = withoutParameters(error.message)
  const stack = (error.stack ?? '').replace(error.message, () => message)
  return {
    name: error.name,
    message: redactText(message),
    ...('code' in error ? { code: error.code } : {}),
    stack: redactText(stack.split('\n', STACK_LINES).join('\n')),
    ...(error.cause === undefined ? {} : { cause: redactValue(error.cause, depth + 1) }),
  }
}

function withoutParameters(message: string): string {
  const begin = message.indexOf('\nparams:')
  return begin === -1 ? message : message.slice(0, begin)
}
