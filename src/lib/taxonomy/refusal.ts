import { AppError } from '../../errors.ts'
import { show } from '../show.ts'
import { isSlug, normalizeSlug, SLUG_MAX } from './slugs.ts'

/** Longer values are answered cut. */
const VALUE_MAX = 1000

/** Every fault in a taxonomy field is 4071 and names the field and the value. */
export function refuseTaxonomy(field: string, value: unknown, expected: string): never {
  throw new AppError('taxonomy_invalid', {
    message: `${field} ${expected}; ${show(value)} is not possible.`,
    data: { field, value: isShort(value) ? value : show(value) },
  })
}

function isShort(value: unknown): boolean {
  return JSON.stringify(value).length <= VALUE_MAX
}

/** The words as they are kept, each once. */
export function readSlugs(field: string, texts: readonly string[], max: number): string[] {
  const slugs = [...new Set(texts.map(normalizeSlug))]
  for (const slug of slugs) {
    if (!isSlug(slug))
      refuseTaxonomy(field, slug, `takes words of a-z, 0-9 and -, at most ${SLUG_MAX} characters`)
  }
  if (slugs.length > max) refuseTaxonomy(field, slugs, `takes at most ${max} values`)
  return slugs
}
