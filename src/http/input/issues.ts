import { Kind, type TSchema } from '@sinclair/typebox'
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors'

import { type Issue, issueAt, ISSUES_MAX } from '../../errors.ts'
import { show } from '../../lib/text/show.ts'

/** A pattern without words of its own that several fields share. */
const NOT_BLANK = String.raw`\S`

const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'a uid',
  date: 'a date such as 2026-01-31',
  'date-time': 'a time such as 2026-01-31T12:00:00.000Z',
  uri: 'an address such as https://example.org/',
}

/** The values that a schema allows, to continue a sentence: `must be a text of 1 to 80 characters`. */
function describeSchema(schema: TSchema): string {
  switch (schema[Kind]) {
    case 'String':
      return describeText(schema)
    case 'Integer':
      return `a whole number${describeRange(schema)}`
    case 'Number':
      return `a number${describeRange(schema)}`
    case 'Boolean':
      return 'true or false'
    case 'Literal':
      return JSON.stringify(schema.const)
    case 'UnionEnum':
      return `one of ${schema.enum.join(', ')}`
    case 'Array':
      return describeList(schema)
    case 'Object':
    case 'Record':
      return `an object${describeCount(schema.minProperties, schema.maxProperties, 'field')}`
    case 'Union':
      return schema.anyOf.map(describeSchema).join(', or ')
    default:
      return 'null'
  }
}

function describeText({ format, pattern, minLength, maxLength }: TSchema): string {
  const text = FORMATS[format] ?? `a text${describeCount(minLength, maxLength, 'character')}`
  return pattern === NOT_BLANK ? `${text} that is not blank` : text
}

function describeList({ items, minItems, maxItems, uniqueItems }: TSchema): string {
  const list = `a list${describeCount(minItems, maxItems, uniqueItems ? 'different entry' : 'entry')}`
  return items[Kind] === 'Object' || items[Kind] === 'Unknown'
    ? list
    : `${list}, each ${describeSchema(items)}`
}

function describeRange({ minimum, maximum }: TSchema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`
  if (minimum !== undefined) return ` of at least ${minimum}`
  return maximum === undefined ? '' : ` of at most ${maximum}`
}

function describeCount(min: number | undefined, max: number | undefined, one: string): string {
  if (min === undefined && max === undefined) return ''
  const many = (max ?? min) === 1 ? one : one.replace(/y$/, 'ie').concat('s')
  if (max === undefined) return ` of at least ${min} ${many}`
  return min === undefined ? ` of at most ${max} ${many}` : ` of ${min} to ${max} ${many}`
}

/** Property names can have any length. */
const PATH_MAX = 200

/**
 * Lists where a value differs from its schema, and what is expected there: one issue per path. Never prints a text
 * that was sent: it may be large or secret. Errors are found lazily, so only those shown are searched for.
 */
export function listIssues(errors: Iterable<ValueError>): Issue[] {
  const issues = new Map<string, Issue>()
  for (const error of flatten(errors)) {
    const issue = issueAt(pathOf(error), faultOf(error))
    if (!issues.has(issue.path)) issues.set(issue.path, issue)
    // Checking every item of an oversized list could take arbitrarily long.
    if (issues.size === ISSUES_MAX || error.type === ValueErrorType.ArrayMaxItems) break
  }
  return [...issues.values()]
}

/** Replaces the error of a union by those inside the variant that the value resembles, if there is one. */
function* flatten(errors: Iterable<ValueError>): Generator<ValueError> {
  for (const error of errors) {
    const inner = error.type === ValueErrorType.Union ? findInnerErrors(error) : undefined
    if (inner) yield* flatten(inner)
    else yield error
  }
}

function findInnerErrors({ path, errors }: ValueError): Iterable<ValueError> | undefined {
  for (const variant of errors) {
    const first = variant.First()
    if (first && first.path !== path) return withFirst(first, variant)
  }
  return undefined
}

function* withFirst(first: ValueError, rest: Iterable<ValueError>): Generator<ValueError> {
  yield first
  yield* rest
}

function pathOf({ path }: ValueError): string {
  return path.slice(1, PATH_MAX).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~')
}

function faultOf({ type, schema, value }: ValueError): string {
  if (type === ValueErrorType.ObjectAdditionalProperties) return describeUnknown(schema)
  const rule = ruleOf(schema)
  if (value === undefined) return `is missing; it ${rule}.`
  if (typeof value === 'string' || typeof schema.error === 'string') return `${rule}.`
  const isCounted = type === ValueErrorType.ArrayMinItems || type === ValueErrorType.ArrayMaxItems
  return `${rule}, not ${isCounted && Array.isArray(value) ? value.length : show(value)}.`
}

/** A schema can word its own rule (`error: 'must be …'`). */
function ruleOf(schema: TSchema): string {
  const own: unknown = schema.error
  return typeof own === 'string' ? own : `must be ${describeSchema(schema)}`
}

function describeUnknown({ properties = {} }: TSchema): string {
  const known = Object.entries<TSchema>(properties).filter(([, { readOnly }]) => readOnly !== true)
  if (known.length === 0) return 'is not a known field; there are none.'
  return `is not a known field; there are ${known.map(([name]) => name).join(', ')}.`
}
