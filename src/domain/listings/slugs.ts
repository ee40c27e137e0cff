import { AppError, type Issue, issueAt } from '../../errors.ts'
import { show } from '../../lib/text/show.ts'

export const TAGS_MIN = 3
export const TAGS_MAX = 20
export const ENGINES_MAX = 5
export const SLUG_MAX = 32

export const SLUG_PATTERN = '^[a-z0-9]+(?:-[a-z0-9]+)*$'
const SLUG = new RegExp(SLUG_PATTERN)

/** The form in which tags, engines and renderers are stored and searched: lower case, with dashes. */
export function normalizeSlug(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, '-')
}

export function isSlug(text: string): boolean {
  return text.length <= SLUG_MAX && SLUG.test(text)
}

/** Longer values are truncated in error messages. */
const VALUE_MAX = 1000

/** Every invalid taxonomy field is 4071; the message names the field, its index, and the value. */
export function refuseTaxonomy(field: string, value: unknown, expected: string, index?: number): never {
  const path = index === undefined ? field : `${field}.${index}`
  throw taxonomyFault(field, value, issueAt(path, `${expected}, not ${show(value)}.`))
}

export function refuseCount(field: string, values: readonly unknown[], max: number): void {
  if (values.length <= max) return
  const issue = issueAt(field, `must have at most ${max} entries, not ${values.length}.`)
  throw taxonomyFault(field, values, issue)
}

/** Of a part of a field, such as `requirements.linux`, only the issue has the path. */
function taxonomyFault(path: string, value: unknown, issue: Issue): AppError {
  const [field] = path.split('.', 1)
  const data = { issues: [issue], field, value: isShort(value) ? value : show(value) }
  return new AppError('taxonomy_invalid', { message: issue.message, data })
}

function isShort(value: unknown): boolean {
  return JSON.stringify(value).length <= VALUE_MAX
}

/** Normalised and without duplicates. */
export function parseSlugs(field: string, texts: readonly string[], max: number): string[] {
  const slugs = texts.map(normalizeSlug)
  for (const [index, slug] of slugs.entries()) {
    if (!isSlug(slug))
      refuseTaxonomy(
        field,
        slug,
        `must be a word of a-z, 0-9 and - with at most ${SLUG_MAX} characters`,
        index,
      )
  }
  const distinct = [...new Set(slugs)]
  refuseCount(field, distinct, max)
  return distinct
}
