import type { games } from '../../../db/schema/games/games.ts'
import {
  compareVersions,
  ENGINE_RANGES_MAX,
  type EngineRange,
  isDeclaredVersion,
  isWithin,
  parseVersion,
} from '../../../domain/listings/engine-range.ts'
import { STATUS_DEFAULT } from '../../../domain/listings/listing.ts'
import {
  faultOfInstallPath,
  INSTRUCTIONS_MAX,
  type ModSettings,
} from '../../../domain/listings/mod-settings.ts'
import { isSlug, normalizeSlug, SLUG_MAX } from '../../../domain/listings/slugs.ts'
import { isAllowedPrice, STORE_RULES } from '../../../domain/listings/store-rules.ts'
import { WEB_PLAYER_DEFAULTS, type WebPlayer } from '../../../domain/listings/web-player.ts'
import { invalidField } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { isHttpsUrl } from '../../../lib/net/urls.ts'
import { countCharacters } from '../../../lib/text/characters.ts'
import { describeName, NAME_MAX, readName } from '../../../lib/text/names.ts'
import { show } from '../../../lib/text/show.ts'
import { type EngineRangeInput, type ListingPatch, type ModSettingsInput, WEBSITE_MAX } from './model.ts'
import type { WebPlayerInput } from './web-player-model.ts'

type Values = Partial<typeof games.$inferInsert>

const WORD = `a word of a-z, 0-9 and - with at most ${SLUG_MAX} characters`

/** The simple fields: an absent field stays unchanged, null resets it to its initial value. */
export function readFields(patch: ListingPatch): Values {
  const values: Values = {}
  if (patch.name !== undefined) values.name = requireName(patch.name)
  if (patch.tagline !== undefined) values.tagline = patch.tagline?.trim() ?? ''
  if (patch.description !== undefined) values.description = patch.description ?? ''
  if (patch.status !== undefined) values.status = patch.status ?? STATUS_DEFAULT
  if (patch.website !== undefined) values.website = readWebsite(patch.website)
  if (patch.adult !== undefined) values.adult = patch.adult ?? false
  if (patch.indexable !== undefined) values.indexable = patch.indexable ?? true
  if (patch.price_cents !== undefined) values.priceCents = readPrice(patch.price_cents ?? 0)
  if (patch.pay_more !== undefined) values.payMore = patch.pay_more ?? false
  if (patch.license_kind !== undefined) values.licenseKind = patch.license_kind
  if (patch.engine_compat !== undefined) values.engineCompat = readRanges(patch.engine_compat ?? [])
  if (patch.web_player !== undefined) values.webPlayer = readWebPlayer(patch.web_player)
  return values
}

function readWebPlayer(input: WebPlayerInput | null): WebPlayer | null {
  return input && { ...WEB_PLAYER_DEFAULTS, ...input }
}

export function requireVanityName(name: string): string {
  if (isUid(name)) invalid('vanity_name', 'must not look like a UUID.')
  return name
}

function requireName(name: string): string {
  return readName(name, NAME_MAX) ?? invalid('name', `must be ${describeName(NAME_MAX)}.`)
}

function readWebsite(website: string | null): string | null {
  if (website === null || isHttpsUrl(website, WEBSITE_MAX)) return website
  return invalid('website', `must be an https:// address of at most ${WEBSITE_MAX} characters.`)
}

function readPrice(cents: number): number {
  if (isAllowedPrice(cents)) return cents
  const { min_price_cents: min, max_price_cents: max } = STORE_RULES
  return invalid('price_cents', `must be 0 for a free listing, or ${min} to ${max} US cents.`)
}

function readRanges(ranges: readonly EngineRangeInput[]): EngineRange[] {
  if (ranges.length > ENGINE_RANGES_MAX) {
    invalid('engine_compat', `must have at most ${ENGINE_RANGES_MAX} version ranges.`)
  }
  return ranges.map((range, index) => readRange(range, `engine_compat.${index}`))
}

function readRange(range: EngineRangeInput, path: string): EngineRange {
  const engine = normalizeSlug(range.engine)
  if (!isSlug(engine)) invalid(`${path}.engine`, `must be ${WORD}.`)
  const renderer = typeof range.renderer === 'string' ? normalizeSlug(range.renderer) : null
  if (renderer !== null && !isSlug(renderer)) invalid(`${path}.renderer`, `must be ${WORD}.`)
  const bounds = (['min_version', 'max_version'] as const).map((field) => {
    const numbers = isDeclaredVersion(range[field]) ? parseVersion(range[field]) : null
    return numbers ?? invalid(`${path}.${field}`, 'must be numbers with dots, such as 4.2 or 4.2.1.')
  })
  const [min = [], max = []] = bounds
  if (compareVersions(min, max) > 0 && !isWithin(min, min, max)) {
    invalid(`${path}.min_version`, 'must not be above max_version.')
  }
  const { min_version, max_version, platform = null } = range
  return { engine, min_version, max_version, renderer, platform }
}

/** Invalid values are 4234. */
export function readModSettings(input: ModSettingsInput): ModSettings {
  const path = optionalText('install_path', input.install_path)
  const fault = path === null ? null : faultOfInstallPath(path)
  if (fault !== null) refuseModSettings('install_path', fault)
  const loader = optionalText('loader', input.loader)
  if (loader !== null && !isSlug(loader)) refuseModSettings('loader', `must be ${WORD}`)
  const instructions = optionalText('instructions', input.instructions)
  if (instructions !== null && countCharacters(instructions) > INSTRUCTIONS_MAX) {
    refuseModSettings('instructions', `must have at most ${INSTRUCTIONS_MAX} characters`)
  }
  return { install_path: path, loader, instructions }
}

function optionalText(field: string, value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null
  return typeof value === 'string' ? value : refuseModSettings(field, `must be a text, not ${show(value)}`)
}

function refuseModSettings(field: string, fault: string): never {
  throw invalidField(`mod_settings.${field}`, `${fault}.`, { kind: 'mod_settings_invalid' })
}

export function invalid(path: string, fault: string): never {
  throw invalidField(path, fault)
}
