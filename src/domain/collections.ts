export const COLLECTION_TITLE_MAX = 60
export const COLLECTION_SLUG_MAX = 60
export const COLLECTION_TEXT_MAX = 300
export const COLLECTION_LISTINGS_MAX = 50
/** Every process keeps all of them in memory. */
export const COLLECTIONS_MAX = 200
/** The newest ones; more would bury the other sections of the home page. */
export const HOME_COLLECTIONS_MAX = 6
