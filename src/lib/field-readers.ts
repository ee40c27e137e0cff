import type { ErrorName } from '../error-table.ts'
import { invalidFields, type Issue, issueAt, ISSUES_MAX } from '../errors.ts'
import { isHttpsUrl, LINK_MAX } from './net/urls.ts'
import { describeName, parseName } from './text/names.ts'
import { show } from './text/show.ts'

type Path = readonly (string | number)[]
/** The message continues after the field's name: `must be a text.` */
type Report = (path: Path, message: string) => void

/**
 * Reads one part of a body whose errors have their own code. Reports a fault and returns a harmless value
 * instead, so that one pass finds all faults.
 */
export type Reader<Value> = (value: unknown, path: Path, report: Report) => Value

/** Limits the name of an unknown field in a message. */
const NAME_MAX = 60

/** Throws the named error with every fault found. */
export function parseBody<Value>(body: unknown, reader: Reader<Value>, error: ErrorName): Value {
  const issues: Issue[] = []
  const value = reader(body, [], (path, message) => {
    if (issues.length < ISSUES_MAX) issues.push(issueAt(path.join('.'), message))
  })
  if (issues.length > 0) throw invalidFields(issues, { kind: error })
  return value
}

export function text(max: number): Reader<string> {
  return (value, path, report) => {
    const given = parseText(value, path, report, `a text of at most ${max} characters`)
    const { length } = Array.from(given)
    if (length > max) report(path, `must have at most ${max} characters, not ${length}.`)
    return given
  }
}

/** A text that is not blank. */
export function filledText(max: number): Reader<string> {
  const read = text(max)
  return (value, path, report) => {
    const given = read(value, path, report)
    if (typeof value === 'string' && given.trim() === '')
      report(path, `must be a text of 1 to ${max} characters that is not blank.`)
    return given
  }
}

/** A text shown beside others: one line, no invisible characters. */
export function nameText(max: number): Reader<string> {
  return (value, path, report) => {
    const given = parseText(value, path, report, describeName(max))
    const name = parseName(given, max)
    if (typeof value === 'string' && name === null) report(path, `must be ${describeName(max)}.`)
    return name ?? ''
  }
}

export function textLike(wanted: string, isValid: (text: string) => boolean): Reader<string> {
  return (value, path, report) => {
    const given = parseText(value, path, report, wanted)
    if (typeof value === 'string' && !isValid(given)) report(path, `must be ${wanted}, not ${show(given)}.`)
    return given
  }
}

export const httpsLink: Reader<string> = textLike(
  `an https link of at most ${LINK_MAX} characters`,
  (given) => isHttpsUrl(given, LINK_MAX),
)

/** Missing, null and the empty text all mean there is none. */
export function optionalText<Empty>(reader: Reader<string>, empty: Empty): Reader<string | Empty> {
  return (value, path, report) =>
    value === undefined || value === null || value === '' ? empty : reader(value, path, report)
}

export function list<Item>(max: number, item: Reader<Item>): Reader<Item[]> {
  return (value, path, report) => {
    if (!Array.isArray(value)) {
      reportKind(value, path, report, `a list of at most ${max} entries`)
      return []
    }
    if (value.length > max) {
      report(path, `must have at most ${max} entries, not ${value.length}.`)
      return []
    }
    return value.map((entry, index) => item(entry, [...path, index], report))
  }
}

export function optionalList<Item>(max: number, item: Reader<Item>): Reader<Item[]> {
  const read = list(max, item)
  return (value, path, report) => (value === undefined || value === null ? [] : read(value, path, report))
}

/** An object with exactly these fields. */
export function record<Value extends object>(fields: {
  [Key in keyof Value]: Reader<Value[Key]>
}): Reader<Value> {
  const readers = Object.entries<Reader<unknown>>(fields)
  const known = Object.keys(fields).join(', ')
  const read = (given: Record<string, unknown>, path: Path, report: Report) =>
    Object.fromEntries(
      readers.map(([name, reader]) => [name, reader(given[name], [...path, name], report)]),
    ) as Value
  return (value, path, report) => {
    if (!isObject(value)) {
      reportKind(value, path, report, `an object with ${known}`)
      return read({}, path, () => undefined)
    }
    for (const name of Object.keys(value)) {
      if (!Object.hasOwn(fields, name))
        report([...path, name.slice(0, NAME_MAX)], `is not a known field; there are ${known}.`)
    }
    return read(value, path, report)
  }
}

function parseText(value: unknown, path: Path, report: Report, wanted: string): string {
  if (typeof value === 'string') return value
  reportKind(value, path, report, wanted)
  return ''
}

function reportKind(value: unknown, path: Path, report: Report, wanted: string): void {
  report(
    path,
    value === undefined ? `is missing; it must be ${wanted}.` : `must be ${wanted}, not ${show(value)}.`,
  )
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
