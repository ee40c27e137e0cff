/** No valid request needs more levels; deeper values cost far more to handle than to send. */
export const JSON_DEPTH_MAX = 64

const QUOTE = 0x22
const COMMA = 0x2c
const OPENING_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSING_BRACKET = 0x5d
const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d

interface JsonSize {
  /** Nesting depth of lists and objects. */
  depth: number
  /** An upper bound for the number of values. */
  parts: number
}

export class JsonBeyondLimits extends Error {
  override readonly name = 'JsonBeyondLimits'

  constructor(readonly limit: 'depth' | 'parts') {
    super(`The JSON has too many ${limit === 'depth' ? 'levels' : 'values'}`)
  }
}

interface ParseOptions {
  partsMax?: number
  reviver?: (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown
}

/** `JSON.parse` for untrusted text. The limits are checked first, because parsing is most of the cost. */
export function parseJson(text: string, { partsMax = Infinity, reviver }: ParseOptions = {}): unknown {
  const { depth, parts } = measureJson(text)
  if (depth > JSON_DEPTH_MAX) throw new JsonBeyondLimits('depth')
  if (parts > partsMax) throw new JsonBeyondLimits('parts')
  return JSON.parse(text, reviver)
}

/** Null for text that is no JSON, or beyond the limits. */
export function parseJsonOrNull(text: string, options?: ParseOptions): unknown {
  try {
    return parseJson(text, options)
  } catch {
    return null
  }
}

/** Measures in one pass without parsing. Exact for valid JSON; the parser rejects anything else. */
export function measureJson(text: string): JsonSize {
  let level = 0
  let depth = 0
  let parts = 1
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = findStringEnd(text, at)
        break
      case COMMA:
        parts += 1
        break
      case OPENING_BRACKET:
      case OPENING_BRACE:
        parts += 1
        level += 1
        if (level > depth) depth = level
        break
      case CLOSING_BRACKET:
      case CLOSING_BRACE:
        level -= 1
    }
  }
  return { depth, parts }
}

/** The index of the closing quote; the end of the text if there is none. */
function findStringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, start, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

/** An odd number of backslashes escapes the next character. */
function isEscaped(text: string, start: number, at: number): boolean {
  let first = at
  while (first - 1 > start && text.charCodeAt(first - 1) === BACKSLASH) first -= 1
  return (at - first) % 2 === 1
}
