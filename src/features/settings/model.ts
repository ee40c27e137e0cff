import {
  type TNull,
  type TObject,
  type TOptional,
  type TSchema,
  type TUnion,
  type TUnsafe,
} from '@sinclair/typebox'
import { t } from 'elysia'

import * as limits from '../../domain/store-settings.ts'
import { Integer, Moment, OneOf, writable } from '../../http/input/schema.ts'
import { EMAIL_MAX } from '../../lib/text/names.ts'

const closed = { additionalProperties: false }
const maybe = <Schema extends Parameters<typeof t.Nullable>[0]>(schema: Schema) =>
  t.Optional(t.Nullable(schema))
const url = { format: 'uri', examples: ['https://store.example/media/store/logo-1f0c6a7e.webp'] }

const Hero = t.Object({
  headline: t.String({ minLength: 1, maxLength: limits.HEADLINE_MAX }),
  text: t.String({ maxLength: limits.HERO_TEXT_MAX }),
  game: t.Nullable(t.String({ description: 'The uid or vanity name of a public listing.' })),
})
const HeroInput = t.Object(
  {
    headline: maybe(Hero.properties.headline),
    text: maybe(Hero.properties.text),
    game: maybe(t.String()),
  },
  closed,
)

const Announcement = t.Object({
  markdown: t.String({ minLength: 1, maxLength: limits.ANNOUNCEMENT_MAX }),
  from: t.Nullable(Moment),
  until: t.Nullable(Moment),
  level: OneOf(limits.ANNOUNCEMENT_LEVELS),
})
const AnnouncementInput = t.Object(
  {
    markdown: Announcement.properties.markdown,
    from: maybe(Moment),
    until: maybe(Moment),
    level: t.Optional(Announcement.properties.level),
  },
  closed,
)

const PAGE_SLUG_PATTERN = `^[a-z0-9](?:[a-z0-9-]{0,${limits.PAGE_SLUG_MAX - 2}}[a-z0-9])?$`
const Slug = t.String({
  pattern: PAGE_SLUG_PATTERN,
  examples: ['imprint'],
  error: `must have 1 to ${limits.PAGE_SLUG_MAX} characters of a-z, 0-9 and -, and start and end with a letter or digit`,
})
const PageTitle = t.String({ minLength: 1, maxLength: limits.PAGE_TITLE_MAX })
const Page = { slug: Slug, title: PageTitle, markdown: t.String({ maxLength: limits.PAGE_TEXT_MAX }) }
const pageCount = { maxItems: limits.PAGES_MAX }

const FooterLink = {
  label: t.String({ minLength: 1, maxLength: limits.LINK_LABEL_MAX }),
  url: t.String({ description: 'Begins with https://.' }),
}
const linkCount = { maxItems: limits.FOOTER_LINKS_MAX }

const Home = t.Array(OneOf(limits.HOME_SECTIONS), {
  uniqueItems: true,
  description: 'The sections of the home page in their order; those left out are not shown.',
})

const Synonyms = t.Array(
  t.Array(t.String({ minLength: 1, maxLength: limits.SYNONYM_MAX }), {
    minItems: 2,
    maxItems: limits.SYNONYMS_MAX,
    examples: [['sofa', 'couch']],
  }),
  {
    maxItems: limits.SYNONYM_GROUPS_MAX,
    description: 'Groups of words: whoever searches for one of a group finds the others too.',
  },
)

/** The schemas of compound settings: as the API returns them and as it accepts them. */
const PARTS = {
  hero: { answer: Hero, input: HeroInput },
  home: { answer: Home, input: Home },
  announcement: { answer: t.Nullable(Announcement), input: AnnouncementInput },
  pages: { answer: t.Array(t.Object(Page), pageCount), input: t.Array(t.Object(Page, closed), pageCount) },
  footer_links: {
    answer: t.Array(t.Object(FooterLink), linkCount),
    input: t.Array(t.Object(FooterLink, closed), linkCount),
  },
  synonyms: { answer: Synonyms, input: Synonyms },
}
type PartName = keyof typeof PARTS

const isParted = (name: limits.SettingName): name is PartName => Object.hasOwn(PARTS, name)

function answerOf(name: limits.SettingName): TSchema {
  if (isParted(name)) return PARTS[name].answer
  const setting: limits.Setting = limits.SETTINGS[name]
  const { about, example } = setting
  const words = {
    ...(about !== undefined && { description: about }),
    ...(example !== undefined && { examples: [example] }),
  }
  switch (setting.kind) {
    case 'line':
      return t.String({ minLength: 1, maxLength: setting.max, ...words })
    case 'text':
      return t.String({ maxLength: setting.max, ...words })
    case 'contact':
      return t.Nullable(t.String({ maxLength: EMAIL_MAX, ...words }))
    case 'choice':
      return OneOf(setting.options.map(([value]) => value) as [string, ...string[]], words)
    case 'whole':
      return Integer({ minimum: 0, maximum: setting.max, ...words })
    case 'flag':
      return t.Boolean(words)
    case 'colour':
    default:
      return t.String(words)
  }
}

/** Kinds that `parsePatch` trims or parses accept any text here, because it checks them afterwards. */
function inputOf(name: limits.SettingName): TSchema {
  if (isParted(name)) return PARTS[name].input
  return ['line', 'colour', 'contact'].includes(limits.SETTINGS[name].kind) ? t.String() : answerOf(name)
}

type Answers = { [Name in limits.SettingName]: TUnsafe<limits.StoreSettings[Name]> }
type Input<Name extends limits.SettingName> = Name extends PartName
  ? (typeof PARTS)[Name]['input']['static']
  : limits.StoreSettings[Name]
type Inputs = { [Name in limits.SettingName]: TOptional<TUnion<[TUnsafe<Input<Name>>, TNull]>> }

const answers = Object.fromEntries(limits.SETTING_NAMES.map((name) => [name, answerOf(name)])) as Answers

const Images = Object.fromEntries(
  limits.STORE_IMAGES.map((name) => [name, t.Nullable(t.String(url))]),
) as unknown as Record<limits.StoreImageName, TUnsafe<string | null>>

export const OperatorSettings = t.Object({ ...answers, ...Images })
export type OperatorSettings = typeof OperatorSettings.static

/** Null resets a field to its default. */
export const SettingsPatch = t.Object(
  Object.fromEntries(limits.SETTING_NAMES.map((name) => [name, maybe(inputOf(name))])),
  closed,
) as unknown as TObject<Inputs>
export type SettingsPatch = typeof SettingsPatch.static

/** The images have routes of their own. */
export const SettingsEdit = writable(SettingsPatch, OperatorSettings)

export const PublicStore = t.Object({
  ...(Object.fromEntries(limits.PUBLIC_NAMES.map((name) => [name, answers[name]])) as Pick<
    Answers,
    limits.PublicName
  >),
  announcement: t.Nullable(Announcement, { description: 'While it is shown.' }),
  pages: t.Array(t.Object({ slug: Slug, title: PageTitle })),
  ...Images,
})
export type PublicStore = typeof PublicStore.static

export const PublicPage = t.Object({
  slug: Slug,
  title: PageTitle,
  markdown: t.String(),
  html: t.String({ description: 'The text as HTML without active content.' }),
})
