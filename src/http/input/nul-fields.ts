import { nulRefused } from '../../errors.ts'

const NUL = '\0'
const found = new WeakMap<URLSearchParams, readonly string[]>()

/** The form without NUL characters; `nulFieldsOf` tells where they were, so that the form can be shown again. */
export function withoutNuls(form: URLSearchParams): URLSearchParams {
  const entries = [...form]
  const fields = new Set(entries.flatMap(([name, value]) => (value.includes(NUL) ? [name] : [])))
  if (entries.some(([name]) => name.includes(NUL))) throw nulRefused()
  if (fields.size === 0) return form
  const cleaned = new URLSearchParams(
    entries.map(([name, value]): [string, string] => [name, value.replaceAll(NUL, '')]),
  )
  found.set(cleaned, [...fields])
  return cleaned
}

/** The fields that were sent with NUL characters. */
export function nulFieldsOf(form: URLSearchParams): readonly string[] {
  return found.get(form) ?? []
}
