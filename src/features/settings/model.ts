import { t } from 'elysia'

import { SECOND_FACTOR_POLICIES } from '../../domain/second-factor.ts'
import * as limits from '../../domain/store-settings.ts'
import { Integer, Moment, OneOf } from '../../http/input/schema.ts'
import { writable } from '../../http/input/write-back.ts'
import { EMAIL_MAX } from '../../lib/text/email.ts'

const closed = { additionalProperties: false }
const maybe = <Schema extends Parameters<typeof t.Nullable>[0]>(schema: Schema) =>
  t.Optional(t.Nullable(schema))
const url = { format: 'uri', examples: ['https://store.example/media/store/logo-1f0c6a7e.webp'] }

const Hero = t.Object({
  headline: t.String({ minLength: 1, maxLength: limits.HEADLINE_MAX }),
  text: t.String({ maxLength: limits.HERO_TEXT_MAX }),
  game: t.Nullable(t.String({ description: 'The uid or vanity name of a public listing.' })),
})

const Announcement = t.Object({
  markdown: t.String({ minLength: 1, maxLength: limits.ANNOUNCEMENT_MAX }),
  from: t.Nullable(Moment),
  until: t.Nullable(Moment),
  level: OneOf(limits.ANNOUNCEMENT_LEVELS),
})

export const PAGE_SLUG_PATTERN = `^[a-z0-9](?:[a-z0-9-]{0,${limits.PAGE_SLUG_MAX - 2}}[a-z0-9])?$`
const Slug = t.String({
  pattern: PAGE_SLUG_PATTERN,
  examples: ['imprint'],
  error: `must have 1 to ${limits.PAGE_SLUG_MAX} characters of a-z, 0-9 and -, and start and end with a letter or digit`,
})
const PageTitle = t.String({ minLength: 1, maxLength: limits.PAGE_TITLE_MAX })
const Page = t.Object({
  slug: Slug,
  title: PageTitle,
  markdown: t.String({ maxLength: limits.PAGE_TEXT_MAX }),
})

const FooterLink = t.Object({
  label: t.String({ minLength: 1, maxLength: limits.LINK_LABEL_MAX }),
  url: t.String({ description: 'Begins with https://.' }),
})
const Home = t.Array(OneOf(limits.HOME_SECTIONS), {
  uniqueItems: true,
  description: 'The sections of the home page in their order; those left out are not shown.',
})

/** The fields that anyone may read. */
const PublicFields = {
  name: t.String({ minLength: 1, maxLength: limits.STORE_NAME_MAX, examples: ['Lantern Games'] }),
  tagline: t.String({ maxLength: limits.TAGLINE_MAX }),
  description: t.String({ maxLength: limits.DESCRIPTION_MAX }),
  accent: t.String({ description: 'As #rrggbb; all colours are derived from it.', examples: ['#4f3bd6'] }),
  hero: Hero,
  home: Home,
  footer_links: t.Array(FooterLink, { maxItems: limits.FOOTER_LINKS_MAX }),
  contact: t.Nullable(
    t.String({ maxLength: EMAIL_MAX, description: 'An e-mail address or an https:// address.' }),
  ),
  sign_up: OneOf(limits.SIGN_UP_POLICIES, {
    description: 'Who can create an account: everyone, those with an invitation, or nobody.',
  }),
  publishing: OneOf(limits.PUBLISHING_POLICIES, {
    description: 'Whether the first publication of a developer waits for the approval of an operator.',
  }),
  adult_content: OneOf(limits.ADULT_POLICIES),
  fee_percent: Integer({ minimum: 0, maximum: limits.FEE_MAX, description: 'Of each sale.' }),
  indexing: t.Boolean({ description: 'Whether search engines may list the store.' }),
}

const Images = {
  logo: t.Nullable(t.String(url)),
  logo_dark: t.Nullable(t.String(url)),
  icon: t.Nullable(t.String(url)),
  share_image: t.Nullable(t.String(url)),
}

export const OperatorSettings = t.Object({
  ...PublicFields,
  announcement: t.Nullable(Announcement),
  pages: t.Array(Page, { maxItems: limits.PAGES_MAX }),
  second_factor: OneOf(SECOND_FACTOR_POLICIES, {
    description:
      'Who must have a passkey or an authenticator app: nobody, those who run the store, or everyone who publishes too.',
  }),
  ...Images,
})
export type OperatorSettings = typeof OperatorSettings.static

const HeroInput = t.Object(
  {
    headline: maybe(Hero.properties.headline),
    text: maybe(Hero.properties.text),
    game: maybe(t.String()),
  },
  closed,
)
const AnnouncementInput = t.Object(
  {
    markdown: Announcement.properties.markdown,
    from: maybe(Moment),
    until: maybe(Moment),
    level: t.Optional(Announcement.properties.level),
  },
  closed,
)

/** Null brings the default of a field back. */
export const SettingsPatch = t.Object(
  {
    name: maybe(t.String()),
    tagline: maybe(PublicFields.tagline),
    description: maybe(PublicFields.description),
    accent: maybe(t.String()),
    hero: maybe(HeroInput),
    home: maybe(Home),
    announcement: maybe(AnnouncementInput),
    pages: maybe(t.Array(t.Object(Page.properties, closed), { maxItems: limits.PAGES_MAX })),
    footer_links: maybe(
      t.Array(t.Object(FooterLink.properties, closed), { maxItems: limits.FOOTER_LINKS_MAX }),
    ),
    contact: maybe(t.String()),
    sign_up: maybe(PublicFields.sign_up),
    publishing: maybe(PublicFields.publishing),
    adult_content: maybe(PublicFields.adult_content),
    second_factor: maybe(OneOf(SECOND_FACTOR_POLICIES)),
    fee_percent: maybe(PublicFields.fee_percent),
    indexing: maybe(PublicFields.indexing),
  },
  closed,
)
export type SettingsPatch = typeof SettingsPatch.static

/** The images have routes of their own. */
export const SettingsEdit = writable(SettingsPatch, OperatorSettings)

export const PublicStore = t.Object({
  ...PublicFields,
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
