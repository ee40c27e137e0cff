import type { StoreApp } from '../../../clients/ext-store/ext-store.ts'
import { isAllowedPrice, STORE_RULES } from '../../../domain/listings/store-rules.ts'
import type { ContentWarning } from '../../../domain/listings/taxonomy.ts'
import { cutAtWord, cutMarkdown, oneLine } from '../../../lib/text/cut-text.ts'
import { htmlToMarkdown } from '../../../lib/text/html-to-markdown.ts'
import { NAME_MAX, showName } from '../../../lib/text/names.ts'
import { DESCRIPTION_MAX, TAGLINE_MAX } from '../../listings/page/model.ts'
import { storePageOf } from '../../listings/store-links/stores.ts'
import { ADULT_DESCRIPTORS, BROAD_DESCRIPTOR, WARNINGS_BY_DESCRIPTOR, WARNINGS_BY_GENRE } from './mapping.ts'
import { type Part, skip } from './plan-part.ts'

export function planText(app: StoreApp): Part[] {
  return [planName(app), planTagline(app), planDescription(app)]
}

/** Imported into a new listing regardless of the groups. */
export function planName({ name }: StoreApp): Part {
  const cut = showName(name, NAME_MAX)
  return cut === '' ? skip('name', 'The store page has no name.') : { patch: { name: cut } }
}

function planTagline({ shortDescription }: StoreApp): Part {
  const tagline = cutAtWord(oneLine(shortDescription), TAGLINE_MAX)
  return tagline === '' ? skip('tagline', 'The store page has no short description.') : { patch: { tagline } }
}

export function planDescription({ detailedDescription, aboutTheGame }: StoreApp): Part {
  const markdown = htmlToMarkdown(detailedDescription) || htmlToMarkdown(aboutTheGame)
  const description = cutMarkdown(markdown, DESCRIPTION_MAX)
  return description === ''
    ? skip('description', 'The store page has no long text.')
    : { patch: { description } }
}

export function planStatus({ release }: StoreApp): Part {
  return { patch: { status: release.comingSoon ? 'in_development' : 'released' } }
}

/** The list price, before any discount. */
export function planPrice({ isFree, price }: StoreApp, target: { anonymousDownloads: boolean }): Part {
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
export function planAge(app: StoreApp): Part[] {
  return [planWarnings(app), planAdult(app)]
}

const NO_DESCRIPTORS = 'The store lists no content descriptors.'

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

export function planStoreLink({ appId }: StoreApp): Part {
  return { storeLink: storePageOf(appId) }
}
