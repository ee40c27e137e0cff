/** The limits of a build's registration, for the server and for `shelf.json`. */
export const BUILD_TYPE_DEFAULT = 'game'
export const VERSION_MAX = 32
export const TITLE_MAX = 255
export const CHANGELOG_ITEMS_MAX = 100
export const BUILD_TYPE_MAX = 64
export const ENGINE_VERSION_MAX = 64
export const APP_NAME_MAX = 80
export const DESCRIPTION_MAX = 8000
export const ITEM_DESCRIPTION_MAX = 2000
