export const COLLECTION_TITLE_MAX = 60
export const COLLECTION_SLUG_MAX = 60
export const COLLECTION_TEXT_MAX = 300
export const COLLECTION_LISTINGS_MAX = 50
/** Every process keeps all of them in memory. */
export const COLLECTIONS_MAX = 200
/** The newest ones; more would bury the other sections of the home page. */
export const HOME_COLLECTIONS_MAX = 6

const UNFIT = /[^a-z0-9]+/g
const MARKS = /\p{M}/gu

/** The slug that a title suggests; empty for titles without Latin letters and digits. */
export function suggestSlug(title: string): string {
  const plain = title.normalize('NFKD').replaceAll(MARKS, '').toLowerCase()
  return plain
    .replaceAll(UNFIT, '-')
    .slice(0, COLLECTION_SLUG_MAX)
    .replaceAll(/^-+|-+$/g, '')
}
