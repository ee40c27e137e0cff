import { ParseError, ValidationError } from 'elysia'

import { isBusyError, isConnectionError } from '../db/errors.ts'
import { AppError } from '../errors.ts'

/** Whatever was thrown, as the one error the wire knows. */
export function toAppError(error: unknown, elysiaCode: string | number): AppError {
  if (error instanceof AppError) return error
  // Bodies are read by hooks of ours; Elysia wraps whatever they throw.
  if (error instanceof ParseError && error.cause) return toAppError(error.cause, 'UNKNOWN')
  if (error instanceof ValidationError) return describeValidation(error)
  if (elysiaCode === 'NOT_FOUND') return new AppError('not_found')
  if (elysiaCode === 'PARSE' || elysiaCode === 'INVALID_COOKIE_SIGNATURE') {
    return new AppError('invalid_request', { message: 'The request could not be read.', cause: error })
  }
  if (isConnectionError(error)) {
    return new AppError('service_down', {
      message: 'The database is not reachable; try again soon.',
      cause: error,
    })
  }
  if (isBusyError(error)) {
    return new AppError('service_down', {
      message: 'The database is too busy to answer in time; try again soon.',
      cause: error,
    })
  }
  return new AppError('internal', { cause: error })
}

const WHERE: Record<string, string> = { query: 'The query', params: 'The path', headers: 'A header' }

function describeValidation(error: ValidationError): AppError {
  if (error.type === 'response') return new AppError('internal', { cause: error })
  const issues = error.all.flatMap((issue) =>
    'path' in issue && typeof issue.path === 'string' ? [describeIssue(issue.path, issue)] : [],
  )
  const unique = [...new Map(issues.map((issue) => [issue.path + issue.message, issue])).values()].slice(
    0,
    20,
  )
  return new AppError('invalid_request', {
    message: `${WHERE[error.type] ?? 'The body'} is not valid.`,
    data: { issues: unique },
  })
}

interface Issue {
  path: string
  message: string
}

function describeIssue(path: string, issue: object): Issue {
  const said = 'message' in issue && typeof issue.message === 'string' ? issue.message : 'Not valid'
  const custom = 'schema' in issue ? readCustomMessage(issue.schema) : null
  return { path: path.replace(/^\//, '').replaceAll('/', '.'), message: custom ?? said }
}

/** A schema may say in its own words what is expected (`error: '…'`). */
function readCustomMessage(schema: unknown): string | null {
  if (typeof schema !== 'object' || schema === null || !('error' in schema)) return null
  return typeof schema.error === 'string' ? schema.error : null
}
