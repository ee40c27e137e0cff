import type { AnnouncementLevel, StoreImages, StoreSettings } from './store-settings.ts'

/** The announcement of a store that shows one. */
export interface ShownAnnouncement {
  /** Changes with the text, so that a new announcement is shown to people who dismissed the last one. */
  id: string
  html: string
  level: AnnouncementLevel
}

/** How a store presents itself. The object is replaced whenever anything of it changes. */
export interface Storefront {
  settings: StoreSettings
  images: StoreImages
  /** The path of the style sheet with its colours; null for the default ones. */
  palette: string | null
  /** The path of the style sheet with typeface, corners and density; null for the default ones. */
  looks: string | null
  /** The paths of the fonts that every page needs. */
  fonts: readonly string[]
  announcement: ShownAnnouncement | null
  /** Whether it takes payments, so that pages lead to its sales and payouts. */
  sells: boolean
  /** How pages call the external store. */
  externalStore: string
  /** Its whole address, for link previews. */
  shareImage: string | null
}
