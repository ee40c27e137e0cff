import { Kind } from '@sinclair/typebox'
import type { ValueError } from '@sinclair/typebox/errors'
import { Value } from '@sinclair/typebox/value'
import { ValidationError } from 'elysia'

import { isBusyError, isConnectionError, isDiskFullError, isNulError } from '../../db/errors.ts'
import { AppError, invalidFields, type Issue, nulRefused } from '../../errors.ts'
import { listIssues } from '../input/issues.ts'

/** Converts anything thrown to an `AppError`. */
export function toAppError(error: unknown, elysiaCode: string | number): AppError {
  if (error instanceof AppError) return error
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
  if (isDiskFullError(error)) {
    return new AppError('storage_full', {
      message: 'The store has no room left to save this. Reading goes on; try again later.',
      cause: error,
    })
  }
  // A last safeguard: whatever reads a request refuses NUL characters before.
  if (isNulError(error)) return nulRefused()
  return new AppError('internal', { cause: error })
}

function describeValidation(error: ValidationError): AppError {
  const issues = listIssues(errorsOf(error))
  if (error.type === 'response') return new AppError('internal', { cause: wrongAnswer(issues) })
  return invalidFields(issues)
}

/** Used instead of Elysia's own list, which prints the values. */
function errorsOf({ validator, value }: ValidationError): Iterable<ValueError> {
  if ('Errors' in validator) return validator.Errors(value)
  return Kind in validator ? Value.Errors(validator, value) : []
}

/** For the log: Elysia's message contains the whole response, secrets included. */
function wrongAnswer(issues: readonly Issue[]): Error {
  return new Error(`The answer differs from its schema: ${issues.map(({ message }) => message).join(' ')}`)
}
