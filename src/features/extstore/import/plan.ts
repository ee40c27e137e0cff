import type { StoreApp } from '../../../clients/extstore/client.ts'
import type { Accessibility } from '../../../domain/listings/accessibility.ts'
import {
  type ContentWarning,
  type Genre,
  GENRES_MAX,
  type Input,
  type Net,
} from '../../../domain/listings/fields.ts'
import type { LanguageSupport } from '../../../domain/listings/languages.ts'
import type { PressKitValue } from '../../../domain/listings/press-kit.ts'
import { isSlug, SLUG_MAX, TAGS_MAX, TAGS_MIN } from '../../../domain/listings/slugs.ts'
import { isAllowedPrice, STORE_RULES } from '../../../domain/listings/store-rules.ts'
import { isHttpsUrl, LINK_MAX } from '../../../lib/net/urls.ts'
import { cutAtWord, cutMarkdown, oneLine } from '../../../lib/text/characters.ts'
import { htmlToMarkdown } from '../../../lib/text/html-to-markdown.ts'
import { NAME_MAX, showName, slugify } from '../../../lib/text/names.ts'
import { DESCRIPTION_MAX, type ListingPatch, TAGLINE_MAX } from '../../listings/page/model.ts'
import { CREDIT_NAME_MAX, type PressKit, RELEASE_DATE_MAX, TEAM_MAX } from '../../listings/press/model.ts'
import { storePageOf } from '../../listings/store-links/stores.ts'
import {
  ADULT_DESCRIPTORS,
  BROAD_DESCRIPTOR,
  CATEGORIES,
  GENRES_BY_ID,
  GENRES_BY_TAG,
  INPUTS_BY_CATEGORY,
  WARNINGS_BY_DESCRIPTOR,
  WARNINGS_BY_GENRE,
} from './mapping.ts'
import { type Group, GROUPS, NOT_IMPORTED, type Report, type Skipped } from './model.ts'
import { HEIGHT_MIN, type Screenshots, WIDTH_MIN } from './screenshots.ts'
import { planAccessibility, planLanguages, planRequirements } from './store-facts.ts'

const NO_DESCRIPTORS = 'The store lists no content descriptors.'
const ROLES = { developer: 'Developer', publisher: 'Publisher', both: 'Developer and publisher' } as const

export interface Plan {
  patch: ListingPatch
  press: Partial<PressKitValue>
  storeLink: string | null
  report: Report
}

export interface Target {
  isNew: boolean
  anonymousDownloads: boolean
  /** What the listing has now. */
  inputs: readonly Input[]
  languages: readonly LanguageSupport[]
  accessibility: readonly Accessibility[]
}

/** Decides per field what is imported; preview and import share it. */
export function planImport(
  app: StoreApp,
  target: Target,
  groups: ReadonlySet<Group>,
  screenshots: Screenshots,
): Plan {
  const planners: Readonly<Record<Group, () => Part[]>> = {
    text: () => planText(app),
    taxonomy: () => [
      ...planTaxonomy(app, target.inputs),
      planLanguages(app, target.languages),
      planRequirements(app),
      planAccessibility(app, target.accessibility),
    ],
    status: () => [planStatus(app)],
    images: () => [planImages(screenshots)],
    press: () => planPress(app),
    price: () => [planPrice(app, target)],
    age: () => planAge(app),
    store_link: () => [planStoreLink(app)],
  }
  const always = target.isNew && !groups.has('text') ? [planName(app), planDescription(app)] : []
  const parts = [...always, ...GROUPS.flatMap((group) => (groups.has(group) ? planners[group]() : []))]
  return {
    patch: Object.assign({}, ...parts.map(({ patch }) => patch)),
    press: Object.assign({}, ...parts.map(({ press }) => press)),
    storeLink: parts.find(({ storeLink }) => storeLink !== undefined)?.storeLink ?? null,
    report: {
      imported: parts.flatMap(importedBy),
      skipped: parts.flatMap(({ skipped = [] }) => skipped),
      not_imported: [...NOT_IMPORTED],
    },
  }
}

function importedBy({ patch = {}, press = {}, storeLink, images }: Part): Report['imported'] {
  const entries: [field: string, value: unknown][] = [
    ...Object.entries(patch),
    ...Object.entries(images ?? {}),
    ...Object.entries(press).map(([field, value]): [string, unknown] => [`press.${field}`, value]),
    ...(storeLink === undefined ? [] : [['store_link', storeLink] satisfies [string, string]]),
  ]
  return entries.map(([field, value]) => ({ field, value }))
}

/** A part of a plan: the fields to write, and the fields that are skipped. */
interface Part {
  patch?: ListingPatch
  press?: Partial<PressKitValue>
  storeLink?: string
  /** URLs at the store, for the report. */
  images?: { cover: string; thumbnail: string; gallery: string[] }
  skipped?: Skipped[]
}

function skip(field: string, reason: string): Part {
  return { skipped: [{ field, reason }] }
}

function planText(app: StoreApp): Part[] {
  return [planName(app), planTagline(app), planDescription(app)]
}

/** Imported into a new listing regardless of the groups. */
function planName({ name }: StoreApp): Part {
  const cut = showName(name, NAME_MAX)
  return cut === '' ? skip('name', 'The store page has no name.') : { patch: { name: cut } }
}

function planTagline({ shortDescription }: StoreApp): Part {
  const tagline = cutAtWord(oneLine(shortDescription), TAGLINE_MAX)
  return tagline === '' ? skip('tagline', 'The store page has no short description.') : { patch: { tagline } }
}

function planDescription({ detailedDescription, aboutTheGame }: StoreApp): Part {
  const markdown = htmlToMarkdown(detailedDescription) || htmlToMarkdown(aboutTheGame)
  const description = cutMarkdown(markdown, DESCRIPTION_MAX)
  return description === ''
    ? skip('description', 'The store page has no long text.')
    : { patch: { description } }
}

function planStatus({ release }: StoreApp): Part {
  return { patch: { status: release.comingSoon ? 'in_development' : 'released' } }
}

/** The list price, before any discount. */
function planPrice({ isFree, price }: StoreApp, target: { anonymousDownloads: boolean }): Part {
  if (isFree) return { patch: { price_cents: 0 } }
  if (!price) return skip('price_cents', 'The store names no price.')
  const { currency, initial } = price
  if (currency !== STORE_RULES.currency) {
    return skip('price_cents', `The price is in ${currency || 'an unknown currency'}, not in US dollars.`)
  }
  if (!isAllowedPrice(initial)) {
    const { min_price_cents: min, max_price_cents: max } = STORE_RULES
    return skip(
      'price_cents',
      `A price must be 0, or ${min} to ${max} US cents; at the store it is ${initial}.`,
    )
  }
  if (initial > 0 && target.anonymousDownloads) {
    return skip('price_cents', 'Anonymous downloads are on; turn them off before setting a price.')
  }
  return { patch: { price_cents: initial } }
}

/** Without descriptors the page keeps its warnings: missing data must not remove any. */
function planAge(app: StoreApp): Part[] {
  return [planWarnings(app), planAdult(app)]
}

function planWarnings({ contentDescriptorIds: ids, genres }: StoreApp): Part {
  const warnings = new Set<ContentWarning>([
    ...ids.flatMap((id) => WARNINGS_BY_DESCRIPTOR[id] ?? []),
    ...genres.flatMap(({ id }) => WARNINGS_BY_GENRE[id] ?? []),
  ])
  const isBroad = ids.includes(BROAD_DESCRIPTOR)
  const reason = isBroad
    ? 'General mature content is too broad for a warning; set what fits by hand.'
    : NO_DESCRIPTORS
  return {
    ...(warnings.size > 0 && { patch: { content_warnings: [...warnings] } }),
    ...((isBroad || warnings.size === 0) && skip('content_warnings', reason)),
  }
}

function planAdult({ contentDescriptorIds: ids }: StoreApp): Part {
  if (ids.length === 0) return skip('adult', NO_DESCRIPTORS)
  return { patch: { adult: ids.some((id) => ADULT_DESCRIPTORS.includes(id)) } }
}

function planStoreLink({ appId }: StoreApp): Part {
  return { storeLink: storePageOf(appId) }
}

function planTaxonomy(app: StoreApp, inputs: readonly Input[]): Part[] {
  return [planGenres(app), planTags(app), planInputs(app, inputs), planNet(app), planPlayers(app)]
}

/** The store's own genres first, in its order; tags fill the remaining slots. */
function planGenres({ genres, tags }: StoreApp): Part {
  const skipped: Skipped[] = []
  const leaveOut = (reason: string) => void skipped.push({ field: 'genres', reason })
  const found = new Set<Genre>()
  for (const { id, name } of genres) {
    const genre = GENRES_BY_ID[id]
    if (genre && found.size < GENRES_MAX) found.add(genre)
    else if (genre) leaveOut(`“${name}” was left out; a listing has up to ${GENRES_MAX} genres.`)
    else if (!WARNINGS_BY_GENRE[id]) leaveOut(`“${name}” has no counterpart here.`)
  }
  for (const tag of tags) {
    const genre = GENRES_BY_TAG[slugOf(tag)]
    if (genre && found.size < GENRES_MAX) found.add(genre)
  }
  if (found.size > 0) return { patch: { genres: [...found] }, skipped }
  leaveOut('The store names no genre that exists here.')
  return { skipped }
}

function planTags({ tags }: StoreApp): Part {
  const skipped: Skipped[] = []
  const leaveOut = (reason: string) => void skipped.push({ field: 'tags', reason })
  const slugs = new Set<string>()
  for (const tag of tags) {
    const slug = slugOf(tag)
    if (!isSlug(slug)) leaveOut(`“${tag}” cannot be written in up to ${SLUG_MAX} of a-z, 0-9 and -.`)
    else if (slugs.size < TAGS_MAX) slugs.add(slug)
    else if (!slugs.has(slug)) leaveOut(`“${tag}” was left out; a listing has up to ${TAGS_MAX} tags.`)
  }
  if (slugs.size >= TAGS_MIN) return { patch: { tags: [...slugs] }, skipped }
  leaveOut(`A listing has at least ${TAGS_MIN} tags; the store page has ${slugs.size}.`)
  return { skipped }
}

/** The store never mentions keyboards, so the listing's current inputs stay. */
function planInputs({ categoryIds }: StoreApp, current: readonly Input[]): Part {
  const inputs = categoryIds.flatMap((id) => INPUTS_BY_CATEGORY[id] ?? [])
  if (inputs.length > 0) return { patch: { inputs: [...new Set([...current, ...inputs])] } }
  return skip('inputs', 'The store does not say what it is played with.')
}

function planNet({ categoryIds }: StoreApp): Part {
  const net = netOf(categoryIds)
  if (net) return { patch: { net } }
  return {
    skipped: [{ field: 'net', reason: 'The store does not say whether it is played alone or together.' }],
  }
}

function netOf(ids: readonly number[]): Net | null {
  const isLocal = isAny(ids, CATEGORIES.local)
  const isOnline = isAny(ids, CATEGORIES.online) || (!isLocal && isAny(ids, CATEGORIES.together))
  if (isLocal) return isOnline ? 'local_online' : 'local'
  if (isOnline) return 'online'
  return isAny(ids, CATEGORIES.alone) ? 'offline' : null
}

/** The store has no player counts; only single-player is certain to be one. */
function planPlayers({ categoryIds }: StoreApp): Part {
  const reason = 'The store does not say how many can play.'
  const net = netOf(categoryIds)
  if (!isAny(categoryIds, CATEGORIES.alone)) {
    return { skipped: ['players_min', 'players_max'].map((field) => ({ field, reason })) }
  }
  if (net === 'offline') return { patch: { players_min: 1, players_max: 1 } }
  return { patch: { players_min: 1 }, skipped: [{ field: 'players_max', reason }] }
}

function isAny(ids: readonly number[], wanted: readonly number[]): boolean {
  return ids.some((id) => wanted.includes(id))
}

/** Removes the apostrophes of “Shoot 'Em Up” and “1990's” without leaving a dash. */
function slugOf(tag: string): string {
  return slugify(tag.replace(/['’]/g, ''), SLUG_MAX + 1)
}

type Credit = PressKit['team'][number]

function planPress(app: StoreApp): Part[] {
  return [planReleaseDate(app), planWebsite(app), planTrailer(app), planTeam(app)]
}

function planReleaseDate({ release }: StoreApp): Part {
  const date = cutAtWord(oneLine(release.date), RELEASE_DATE_MAX)
  return date === ''
    ? skip('press.release_date', 'The store names no release date.')
    : { press: { release_date: date } }
}

function planWebsite({ website }: StoreApp): Part {
  if (website === null) return skip('press.website', 'The store names no website.')
  if (isLink(website)) return { press: { website } }
  return skip('press.website', `A website must be an https:// address of at most ${LINK_MAX} characters.`)
}

function planTrailer({ trailers }: StoreApp): Part {
  const trailer = trailers.find(isLink)
  return trailer === undefined
    ? skip('press.trailer_url', 'The store has no trailer to link to.')
    : { press: { trailer_url: trailer } }
}

function isLink(url: string): boolean {
  return url.isWellFormed() && isHttpsUrl(url, LINK_MAX)
}

function planTeam(app: StoreApp): Part {
  const [developers, publishers] = [namesOf(app.developers), namesOf(app.publishers)]
  const team = [
    ...developers.map((name) => credit(name, publishers.includes(name) ? ROLES.both : ROLES.developer)),
    ...publishers.filter((name) => !developers.includes(name)).map((name) => credit(name, ROLES.publisher)),
  ].slice(0, TEAM_MAX)
  return team.length === 0
    ? skip('press.team', 'The store names neither developer nor publisher.')
    : { press: { team } }
}

function namesOf(names: readonly string[]): string[] {
  const cut = names.map((name) => cutAtWord(oneLine(name), CREDIT_NAME_MAX))
  return [...new Set(cut)].filter((name) => name !== '')
}

function credit(name: string, role: string): Credit {
  return { name, role, url: null }
}

/** Replaces the credits of an earlier import; all other credits stay. */
export function mergeTeam(current: readonly Credit[], imported: readonly Credit[]): Credit[] {
  const storeRoles: readonly (string | null)[] = Object.values(ROLES)
  const others = current.filter(({ role }) => !storeRoles.includes(role))
  return [...imported.slice(0, TEAM_MAX - others.length), ...others]
}

function planImages({ usable, skipped }: Screenshots): Part {
  const urls = usable.map(({ url }) => url)
  const [first] = urls
  if (first !== undefined) return { images: { cover: first, thumbnail: first, gallery: urls }, skipped }
  const reason = `The store page has no screenshot of at least ${WIDTH_MIN}×${HEIGHT_MIN}.`
  return { skipped: [...skipped, ...['cover', 'thumbnail', 'gallery'].map((field) => ({ field, reason }))] }
}
