import { DEFAULT_ACCENT } from './palette.ts'
import type { SecondFactorPolicy } from './second-factor.ts'

export const SIGN_UP_POLICIES = ['open', 'invite', 'closed'] as const
export type SignUpPolicy = (typeof SIGN_UP_POLICIES)[number]

export const PUBLISHING_POLICIES = ['anyone', 'approved'] as const
export type PublishingPolicy = (typeof PUBLISHING_POLICIES)[number]

export const ADULT_POLICIES = ['allowed', 'not_allowed'] as const
export type AdultPolicy = (typeof ADULT_POLICIES)[number]

export const HOME_SECTIONS = [
  'featured',
  'play_now',
  'tonight',
  'unheard_of',
  'newest',
  'updated',
  'collections',
  'tags',
] as const
export type HomeSection = (typeof HOME_SECTIONS)[number]

export const ANNOUNCEMENT_LEVELS = ['info', 'warning'] as const
export type AnnouncementLevel = (typeof ANNOUNCEMENT_LEVELS)[number]

export const STORE_IMAGES = ['logo', 'logo_dark', 'icon', 'share_image'] as const
export type StoreImageName = (typeof STORE_IMAGES)[number]

export const STORE_NAME_MAX = 40
export const TAGLINE_MAX = 80
export const DESCRIPTION_MAX = 300
export const HEADLINE_MAX = 60
export const HERO_TEXT_MAX = 200
export const ANNOUNCEMENT_MAX = 500
export const PAGES_MAX = 10
export const PAGE_SLUG_MAX = 40
export const PAGE_TITLE_MAX = 80
export const PAGE_TEXT_MAX = 50_000
export const FOOTER_LINKS_MAX = 10
export const LINK_LABEL_MAX = 40
export const FEE_MAX = 50

/** The program, whatever its store is called. */
export const PROGRAM_NAME = 'Playshelf'

export interface Hero {
  headline: string
  text: string
  /** The uid or name of a listing; null: a new one that few know. */
  game: string | null
}

export interface Announcement {
  markdown: string
  from: string | null
  until: string | null
  level: AnnouncementLevel
}

export interface StorePage {
  slug: string
  title: string
  markdown: string
}

export interface FooterLink {
  label: string
  url: string
}

/** What operators set, with the defaults filled in. */
export interface StoreSettings {
  name: string
  tagline: string
  description: string
  accent: string
  hero: Hero
  home: HomeSection[]
  announcement: Announcement | null
  pages: StorePage[]
  footer_links: FooterLink[]
  contact: string | null
  sign_up: SignUpPolicy
  publishing: PublishingPolicy
  adult_content: AdultPolicy
  second_factor: SecondFactorPolicy
  fee_percent: number
  indexing: boolean
}

/** An image as it is served. */
export interface StoreImage {
  sha256: string
  width: number
  height: number
}
export type StoreImages = Partial<Record<StoreImageName, StoreImage>>

/** The settings with the revision that If-Match is compared with. */
export interface RevisedSettings {
  settings: StoreSettings
  images: StoreImages
  revision: number
}

/** Only what differs from the default is stored. The second factor has a column of its own. */
export type StoredSettings = Partial<Omit<StoreSettings, 'second_factor'>> & { images?: StoreImages }

/** The default of the second factor depends on where the store runs. */
export const DEFAULT_SETTINGS: Omit<StoreSettings, 'second_factor'> = {
  name: PROGRAM_NAME,
  tagline: 'Games worth an evening',
  description: 'Find, download and publish games, mods, tools and assets.',
  accent: DEFAULT_ACCENT,
  hero: {
    headline: 'Games worth an evening',
    text: 'Search by what you like and by what you would rather not see. Every file is scanned, and every page says how well the game starts on other people’s machines.',
    game: null,
  },
  home: [...HOME_SECTIONS],
  announcement: null,
  pages: [],
  footer_links: [],
  contact: null,
  sign_up: 'open',
  publishing: 'anyone',
  adult_content: 'allowed',
  fee_percent: 10,
  indexing: true,
}
