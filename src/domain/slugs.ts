import { AppError } from '../errors.ts'
import { show } from '../lib/show.ts'

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

/** Every invalid taxonomy field is 4071; the message names the field and the value. */
export function refuseTaxonomy(field: string, value: unknown, expected: string): never {
  throw new AppError('taxonomy_invalid', {
    message: `${field} ${expected}; ${show(value)} is not valid.`,
    data: { field, value: isShort(value) ? value : show(value) },
  })
}

function isShort(value: unknown): boolean {
  return JSON.stringify(value).length <= VALUE_MAX
}

/** Normalised and without duplicates. */
export function readSlugs(field: string, texts: readonly string[], max: number): string[] {
  const slugs = [...new Set(texts.map(normalizeSlug))]
  for (const slug of slugs) {
    if (!isSlug(slug))
      refuseTaxonomy(field, slug, `takes words of a-z, 0-9 and -, at most ${SLUG_MAX} characters`)
  }
  if (slugs.length > max) refuseTaxonomy(field, slugs, `takes at most ${max} values`)
  return slugs
}
