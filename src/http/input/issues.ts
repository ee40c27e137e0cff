import type { TSchema } from '@sinclair/typebox'
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors'

import { type Issue, issueAt, ISSUES_MAX } from '../../errors.ts'
import { show } from '../../lib/text/show.ts'
import { describeSchema } from './schema-words.ts'

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
  return typeof value === 'string' || typeof schema.error === 'string'
    ? `${rule}.`
    : `${rule}, not ${show(value)}.`
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
