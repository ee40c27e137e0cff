import { TYPEFACE_NAMES, TYPEFACES } from './looks.ts'
import { DEFAULT_ACCENT } from './palette.ts'

export const STORE_IMAGES = ['logo', 'logo_dark', 'icon', 'share_image'] as const
export type StoreImageName = (typeof STORE_IMAGES)[number]

export const HOME_SECTIONS = [
  'featured',
  'play_now',
  'tonight',
  'unheard_of',
  'newest',
  'updated',
  'collections',
  'tags',
  'posts',
  'jams',
] as const
export type HomeSection = (typeof HOME_SECTIONS)[number]
/** Those that a new store shows, in their order. */
const HOME_DEFAULT: readonly HomeSection[] = HOME_SECTIONS.filter(
  (section) => section !== 'posts' && section !== 'jams',
)

export const ANNOUNCEMENT_LEVELS = ['info', 'warning'] as const
export type AnnouncementLevel = (typeof ANNOUNCEMENT_LEVELS)[number]

export const STORE_NAME_MAX = 40
export const HEADLINE_MAX = 60
export const HERO_TEXT_MAX = 200
export const ANNOUNCEMENT_MAX = 500
export const PAGES_MAX = 10
export const PAGE_SLUG_MAX = 40
export const PAGE_TITLE_MAX = 80
export const PAGE_TEXT_MAX = 50_000
export const FOOTER_LINKS_MAX = 10
export const SYNONYM_GROUPS_MAX = 200
export const SYNONYMS_MAX = 10
export const SYNONYM_MAX = 40
export const LINK_LABEL_MAX = 40
const FEE_MAX = 50

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

interface FooterLink {
  label: string
  url: string
}

/** The forms of the operators' page for settings. */
export type SettingsGroup = 'identity' | 'looks' | 'home' | 'announcement' | 'footer' | 'search' | 'policies'

interface Shown {
  /** The form that has it; settings without one have pages of their own. */
  group?: SettingsGroup
  label?: string
  hint?: string
  /** The description in the API. */
  about?: string
  example?: string
}
type Options = readonly (readonly [value: string, label: string])[]
/** What its form calls true and false. */
type YesNo = readonly [yes: string, no: string]

/** With `isPrivate` only operators read it. */
export type Setting = Shown & { isPrivate?: true } & (
    | { kind: 'line'; max: number; standard: string }
    | { kind: 'text'; max: number; standard: string; rows?: number }
    | { kind: 'colour'; standard: string }
    | { kind: 'contact'; standard: string | null }
    | { kind: 'choice'; options: Options; standard: string }
    | { kind: 'whole'; max: number; standard: number }
    | { kind: 'flag'; standard: boolean; words?: YesNo }
    | { kind: 'parts'; standard: unknown }
  )

/** One line that is never empty. */
const line = (max: number, standard: string, shown: Shown) =>
  ({ kind: 'line', max, standard, ...shown }) as const
/** One line that can be empty; with rows it is typed into a larger field. */
const text = (max: number, standard: string, shown: Shown & { rows?: number }) =>
  ({ kind: 'text', max, standard, ...shown }) as const
const colour = (standard: string, shown: Shown) => ({ kind: 'colour', standard, ...shown }) as const
/** An e-mail address, an https:// address or empty. */
const contact = (shown: Shown) => ({ kind: 'contact', standard: null as string | null, ...shown }) as const
/** From 0 on. */
const whole = (max: number, standard: number, shown: Shown) =>
  ({ kind: 'whole', max, standard, ...shown }) as const
const flag = (standard: boolean, shown: Shown & { words?: YesNo }) =>
  ({ kind: 'flag', standard, ...shown }) as const
/** A value with members; its schema, check and form fields are written by hand where they are used. */
function parts<Value>(standard: Value, shown: Shown = {}) {
  return { kind: 'parts', standard, ...shown } as const
}
function choice<const Values extends Options>(
  options: Values,
  standard: NoInfer<Values[number][0]>,
  shown: Shown,
) {
  return { kind: 'choice', options, standard, ...shown } as const
}

const TYPEFACE_OPTIONS = [
  ['system', 'The font of the visitor’s system'],
  ...TYPEFACE_NAMES.map((name) => [name, TYPEFACES[name].family] as const),
] as const

/**
 * What operators set, in the order of their page. Types, defaults, schemas, checks, forms and the answer to visitors
 * are derived from it.
 */
export const SETTINGS = {
  name: line(STORE_NAME_MAX, PROGRAM_NAME, { group: 'identity', label: 'Name', example: 'Lantern Games' }),
  tagline: text(80, 'Games worth an evening', {
    group: 'identity',
    label: 'Tagline',
    hint: 'The title of the home page, in a few words.',
  }),
  description: text(300, 'Find, download and publish games, mods, tools and assets.', {
    group: 'identity',
    label: 'Description',
    hint: 'For search engines and link previews.',
    rows: 3,
  }),
  accent: colour(DEFAULT_ACCENT, {
    group: 'looks',
    label: 'Accent',
    hint: 'Preview shows this page in the new colours before you save them.',
    about: 'As #rrggbb; all colours are derived from it.',
    example: '#4f3bd6',
  }),
  page_accent: flag(true, {
    group: 'looks',
    label: 'Accent of a game’s page',
    hint: 'From its cover, made readable in both themes. Otherwise every page has the accent of the store.',
    about: 'Whether the page of a game takes its accent from its cover.',
    words: ['From its cover', 'The accent of the store'],
  }),
  typeface: choice(TYPEFACE_OPTIONS, 'system', {
    group: 'looks',
    label: 'Typeface',
    hint: 'All are served by the store itself. Scripts that a typeface lacks are shown in the font of the system.',
    about: 'The typeface of all pages.',
  }),
  corner: choice(
    [
      ['rounded', 'Rounded'],
      ['square', 'Square'],
      ['round', 'Very round'],
    ],
    'rounded',
    { group: 'looks', label: 'Corners', about: 'The corners of cards, buttons and fields.' },
  ),
  density: choice(
    [
      ['comfortable', 'Comfortable'],
      ['compact', 'Compact'],
      ['airy', 'Airy'],
    ],
    'comfortable',
    { group: 'looks', label: 'Density', about: 'How much room there is between and inside of things.' },
  ),
  hero_layout: choice(
    [
      ['spotlight', 'One large, two beside it'],
      ['split', 'The headline beside one picture'],
      ['banner', 'Wide pictures that scroll sideways'],
    ],
    'spotlight',
    {
      group: 'looks',
      label: 'Top of the home page',
      hint: 'Preview does not show it: save, and look at the home page.',
      about: 'How the featured listings are laid out.',
    },
  ),
  hero: parts<Hero>(
    {
      headline: 'Games worth an evening',
      text: 'Search by what you like and by what you would rather not see. Every file is scanned, and every page says how well the game starts on other people’s machines.',
      game: null,
    },
    { group: 'home' },
  ),
  home: parts<HomeSection[]>([...HOME_DEFAULT], { group: 'home' }),
  announcement: parts<Announcement | null>(null, { group: 'announcement' }),
  pages: parts<StorePage[]>([]),
  footer_links: parts<FooterLink[]>([], { group: 'footer' }),
  contact: contact({
    group: 'footer',
    label: 'Contact',
    hint: 'An e-mail address or an https:// address.',
    about: 'An e-mail address or an https:// address.',
  }),
  synonyms: {
    isPrivate: true,
    ...parts<string[][]>([], {
      group: 'search',
      label: 'Words that mean the same',
      hint: `One group on each line, with commas between its words: sofa, couch. At most ${SYNONYM_GROUPS_MAX} lines of 2 to ${SYNONYMS_MAX} words or short phrases.`,
      about: 'Whoever searches for one word of a group finds the others too.',
    }),
  },
  sign_up: choice(
    [
      ['open', 'Everyone'],
      ['invite', 'Those with an invitation'],
      ['closed', 'Nobody: operators add accounts'],
    ],
    'open',
    {
      group: 'policies',
      label: 'Who can create an account',
      hint: 'Invitations are made under Invites, where operators also add accounts.',
      about: 'Who can create an account: everyone, those with an invitation, or nobody.',
    },
  ),
  publishing: choice(
    [
      ['anyone', 'Developers, at once'],
      ['approved', 'Operators approve the first page of each developer'],
    ],
    'anyone',
    {
      group: 'policies',
      label: 'Who publishes',
      hint: 'What waits is under Queue. Drafts and builds work meanwhile.',
      about: 'Whether the first publication of a developer waits for the approval of an operator.',
    },
  ),
  adult_content: choice(
    [
      ['allowed', 'Allowed, for those who ask for it'],
      ['not_allowed', 'Not allowed: such pages are hidden'],
    ],
    'allowed',
    {
      group: 'policies',
      label: 'Adult pages',
      hint: 'Hidden pages come back as they were when you allow them again.',
    },
  ),
  /** Has a column of its own. On a machine that others cannot reach its default is `optional`. */
  second_factor: {
    isPrivate: true,
    ...choice(
      [
        ['optional', 'Nobody'],
        ['operators', 'Operators'],
        ['publishers', 'Operators and everyone who publishes'],
      ],
      'operators',
      {
        group: 'policies',
        label: 'Who must have a second factor',
        hint: 'A passkey or an authenticator app. Who lacks one is led to set it up before they run the store, issue deploy keys, trust a pipeline or promote a build to stable. Keys that pipelines have go on working.',
        about:
          'Who must have a passkey or an authenticator app: nobody, those who run the store, or everyone who publishes too.',
      },
    ),
  },
  fee_percent: whole(FEE_MAX, 10, {
    group: 'policies',
    label: 'Percent of a sale that the store keeps',
    hint: `0 to ${FEE_MAX}. New orders only.`,
    about: 'Of each sale.',
  }),
  jams: choice(
    [
      ['operators', 'Operators'],
      ['developers', 'Operators and developers'],
      ['off', 'Nobody: those there go on'],
    ],
    'operators',
    {
      group: 'policies',
      label: 'Who can make a game jam',
      about: 'Who can make a jam: operators, developers too, or nobody. Jams that are there go on.',
    },
  ),
  indexing: flag(true, {
    group: 'policies',
    label: 'Search engines may list the store',
    about: 'Whether search engines may list the store.',
  }),
} satisfies Record<string, Setting>

export type SettingName = keyof typeof SETTINGS
/** What visitors may know. */
export type PublicName = {
  [Name in SettingName]: (typeof SETTINGS)[Name] extends { isPrivate: true } ? never : Name
}[SettingName]
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[]
export const PUBLIC_NAMES = SETTING_NAMES.filter(
  (name): name is PublicName => (SETTINGS[name] as Setting).isPrivate !== true,
)

/** With the defaults filled in. */
export type StoreSettings = { -readonly [Name in SettingName]: (typeof SETTINGS)[Name]['standard'] }

/** An image as it is served. */
interface StoreImage {
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

export const DEFAULT_SETTINGS = Object.fromEntries(
  SETTING_NAMES.filter((name) => name !== 'second_factor').map((name) => [name, SETTINGS[name].standard]),
) as Omit<StoreSettings, 'second_factor'>

export function groupNames(group: SettingsGroup): SettingName[] {
  return SETTING_NAMES.filter((name) => (SETTINGS[name] as Setting).group === group)
}
