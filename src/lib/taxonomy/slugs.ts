export const TAGS_MIN = 3
export const TAGS_MAX = 20
export const ENGINES_MAX = 5
export const SLUG_MAX = 32

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** Tags, engines and renderers as they are kept and searched: lower case, spaces and underscores become dashes. */
export function normalizeSlug(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, '-')
}

export function isSlug(text: string): boolean {
  return text.length <= SLUG_MAX && SLUG.test(text)
}
