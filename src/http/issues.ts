import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors'

import { type Issue, ISSUES_MAX } from '../errors.ts'

/** Property names can have any length. */
const PATH_MAX = 200

/**
 * Lists where a value differs from its schema, and what is expected there. Never prints the value: it may be
 * large, deep or secret. Errors are found lazily, so only those shown are searched for.
 */
export function listIssues(errors: Iterable<ValueError>): Issue[] {
  const issues = new Map<string, Issue>()
  for (const error of errors) {
    const issue = { path: pathOf(error), message: messageOf(error) }
    issues.set(issue.path + issue.message, issue)
    // Checking every item of an oversized list could take arbitrarily long.
    if (issues.size === ISSUES_MAX || error.type === ValueErrorType.ArrayMaxItems) break
  }
  return [...issues.values()]
}

function pathOf({ path }: ValueError): string {
  return path.slice(1, PATH_MAX).replaceAll('/', '.')
}

/** A schema can set its own message (`error: '…'`). */
function messageOf({ schema, message }: ValueError): string {
  const own: unknown = schema.error
  return typeof own === 'string' ? own : message
}
