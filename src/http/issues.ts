import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors'

import { type Issue, ISSUES_MAX } from '../errors.ts'

/** Members can have names of any length. */
const PATH_MAX = 200

/**
 * Where a value differs from its schema, and what is expected there. The value itself is never looked at or printed: it
 * may be large, deep or secret. The errors are found one by one, so no more are looked for than are shown.
 */
export function listIssues(errors: Iterable<ValueError>): Issue[] {
  const issues = new Map<string, Issue>()
  for (const error of errors) {
    const issue = { path: pathOf(error), message: messageOf(error) }
    issues.set(issue.path + issue.message, issue)
    // Looking through a list that is too long could take as long as it likes.
    if (issues.size === ISSUES_MAX || error.type === ValueErrorType.ArrayMaxItems) break
  }
  return [...issues.values()]
}

function pathOf({ path }: ValueError): string {
  return path.slice(1, PATH_MAX).replaceAll('/', '.')
}

/** A schema may say in its own words what is expected (`error: '…'`). */
function messageOf({ schema, message }: ValueError): string {
  const own: unknown = schema.error
  return typeof own === 'string' ? own : message
}
