import { getSchemaValidator, type TSchema } from 'elysia'

import type { ErrorName } from '../../error-table.ts'
import { invalidFields, type Issue } from '../../errors.ts'
import { listIssues } from './issues.ts'

type Hook = (context: { body: unknown }) => void

/** The part of a route's declaration that concerns its body. */
export interface BodyDeclaration {
  body?: TSchema
  parse?: unknown
  beforeHandle?: Hook | Hook[]
}

/**
 * Replaces how Elysia reads a body, which creates a stream for each, and its validation, whose error repeats the
 * body several times, indented: a few kilobytes of brackets become gigabytes. The check runs at the same point,
 * after those that need no body. A schema can name the error of its faults (`refusal: 'press_kit_invalid'`).
 */
export function takeOverBody(route: BodyDeclaration): void {
  route.parse = 'none'
  if (route.body === undefined) return
  const findIssues = createIssueFinder(route.body)
  const refusal = route.body.refusal as ErrorName | undefined
  const check: Hook = ({ body }) => {
    const issues = findIssues(body)
    if (issues) throw invalidFields(issues, refusal && { kind: refusal })
  }
  route.body = { ...route.body, noValidate: true }
  route.beforeHandle = [check, ...[route.beforeHandle ?? []].flat()]
}

/** Returns null for a value that fits the schema, which is compiled for the first one. */
export function createIssueFinder(schema: TSchema): (value: unknown) => Issue[] | null {
  let validator: ReturnType<typeof compile> | undefined
  return (value) => {
    validator ??= compile(schema)
    const isFine = validator.Check(value) || (value === undefined && validator.isOptional)
    return isFine ? null : listIssues(validator.Errors(value))
  }
}

function compile(schema: TSchema) {
  const validator = getSchemaValidator(schema, { normalize: false })
  if (validator.hasTransform) throw new Error('The schema of a body must not change what it checks')
  return validator
}
