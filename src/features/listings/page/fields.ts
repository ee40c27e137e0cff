import type { games } from '../../../db/schema/games/games.ts'
import {
  compareVersions,
  ENGINE_RANGES_MAX,
  type EngineRange,
  isDeclaredVersion,
  isWithin,
  parseVersion,
} from '../../../domain/listings/engine-range.ts'
import { type TaxonomyField } from '../../../domain/listings/field-kinds.ts'
import { TAXONOMY, type TaxonomyName } from '../../../domain/listings/fields.ts'
import { parseLanguages } from '../../../domain/listings/languages.ts'
import { STATUS_DEFAULT } from '../../../domain/listings/listing.ts'
import {
  faultOfInstallPath,
  INSTRUCTIONS_MAX,
  type ModSettings,
} from '../../../domain/listings/mod-settings.ts'
import { parseRequirements } from '../../../domain/listings/requirements.ts'
import {
  isSlug,
  normalizeSlug,
  parseSlugs,
  refuseCount,
  refuseTaxonomy,
  SLUG_MAX,
} from '../../../domain/listings/slugs.ts'
import { isAllowedPrice, STORE_RULES } from '../../../domain/listings/store-rules.ts'
import { WEB_PLAYER_DEFAULTS, type WebPlayer } from '../../../domain/listings/web-player.ts'
import { collectFaults, invalidField } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { isHttpsUrl } from '../../../lib/net/urls.ts'
import { toCamelCase } from '../../../lib/text/camel-case.ts'
import { countCharacters } from '../../../lib/text/characters.ts'
import { describeName, NAME_MAX, parseName } from '../../../lib/text/names.ts'
import { show } from '../../../lib/text/show.ts'
import {
  type EngineRangeInput,
  type ListingPatch,
  type ModSettingsInput,
  type WebPlayerInput,
  WEBSITE_MAX,
} from './model.ts'

type Row = typeof games.$inferSelect
type Values = Partial<typeof games.$inferInsert>
type PlayerCounts = Pick<Row, 'playersMin' | 'playersMax'>

const WORD = `a word of a-z, 0-9 and - with at most ${SLUG_MAX} characters`

/** Everything that needs no other listing. All faults are thrown together. */
export function parseOwnFields(patch: ListingPatch, current: PlayerCounts): Values {
  const fields = Object.entries(patch).map(
    ([name, value]) =>
      () =>
        parseFields({ [name]: value }),
  )
  return Object.assign({}, ...collectFaults([...fields, () => parseTaxonomy(patch, current)])) as Values
}

/** The simple fields: an absent field stays unchanged, null resets it to its initial value. */
function parseFields(patch: ListingPatch): Values {
  const values: Values = {}
  if (patch.name !== undefined) values.name = requireName(patch.name)
  if (patch.tagline !== undefined) values.tagline = patch.tagline?.trim() ?? ''
  if (patch.description !== undefined) values.description = patch.description ?? ''
  if (patch.status !== undefined) values.status = patch.status ?? STATUS_DEFAULT
  if (patch.website !== undefined) values.website = checkWebsite(patch.website)
  if (patch.adult !== undefined) values.adult = patch.adult ?? false
  if (patch.indexable !== undefined) values.indexable = patch.indexable ?? true
  if (patch.price_cents !== undefined) values.priceCents = checkPrice(patch.price_cents ?? 0)
  if (patch.pay_more !== undefined) values.payMore = patch.pay_more ?? false
  if (patch.license_kind !== undefined) values.licenseKind = patch.license_kind
  if (patch.engine_compat !== undefined) values.engineCompat = parseRanges(patch.engine_compat ?? [])
  if (patch.web_player !== undefined) values.webPlayer = parseWebPlayer(patch.web_player)
  if (patch.saves !== undefined) values.savesEnabled = patch.saves?.enabled ?? false
  return values
}

function parseWebPlayer(input: WebPlayerInput | null): WebPlayer | null {
  return input && { ...WEB_PLAYER_DEFAULTS, ...input }
}

export function requireVanityName(name: string): string {
  if (isUid(name)) invalid('vanity_name', 'must not look like a UUID.')
  return name
}

function requireName(name: string): string {
  return parseName(name, NAME_MAX) ?? invalid('name', `must be ${describeName(NAME_MAX)}.`)
}

function checkWebsite(website: string | null): string | null {
  if (website === null || isHttpsUrl(website, WEBSITE_MAX)) return website
  return invalid('website', `must be an https:// address of at most ${WEBSITE_MAX} characters.`)
}

function checkPrice(cents: number): number {
  if (isAllowedPrice(cents)) return cents
  const { min_price_cents: min, max_price_cents: max } = STORE_RULES
  return invalid('price_cents', `must be 0 for a free listing, or ${min} to ${max} US cents.`)
}

function parseRanges(ranges: readonly EngineRangeInput[]): EngineRange[] {
  if (ranges.length > ENGINE_RANGES_MAX) {
    invalid('engine_compat', `must have at most ${ENGINE_RANGES_MAX} version ranges.`)
  }
  return ranges.map((range, index) => parseRange(range, `engine_compat.${index}`))
}

function parseRange(range: EngineRangeInput, path: string): EngineRange {
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
export function parseModSettings(input: ModSettingsInput): ModSettings {
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

const TAXONOMY_FIELDS = Object.entries(TAXONOMY) as [TaxonomyName, TaxonomyField][]

/**
 * Every invalid taxonomy field is 4071; the message names the field and the value. An absent field stays unchanged,
 * null clears it.
 */
function parseTaxonomy(patch: ListingPatch, current: PlayerCounts): Values {
  const sent = TAXONOMY_FIELDS.filter(([name]) => patch[name] !== undefined)
  const parsed = collectFaults(
    sent.map(
      ([name, field]) =>
        () =>
          [toCamelCase(name), parseValue(name, field, patch[name])] as const,
    ),
  )
  const values: Values = Object.fromEntries(parsed)
  const { playersMin = current.playersMin, playersMax = current.playersMax } = values
  if (playersMin !== null && playersMax !== null && playersMin > playersMax) {
    refuseTaxonomy('players_min', playersMin, `must not be more than players_max (${playersMax})`)
  }
  return values
}

function parseValue(name: TaxonomyName, field: TaxonomyField, value: unknown): unknown {
  switch (field.kind) {
    case 'choice':
      return value === null ? null : requireOneOf(name, value, field.values)
    case 'choices':
      return parseChoices(name, value, field.values, field.max)
    case 'slugs':
      return parseSlugs(name, textsOf(name, value), field.max)
    case 'number':
      return parseNumber(name, value, field)
    case 'languages':
      return parseLanguages(name, value, field.max)
    case 'requirements':
      return parseRequirements(name, value)
    case 'line':
    default:
      return parseLine(name, value, field.max)
  }
}

function parseChoices(
  field: string,
  value: unknown,
  allowed: readonly string[],
  max: number = allowed.length,
): string[] {
  const entries = textsOf(field, value).map((entry, index) => requireOneOf(field, entry, allowed, index))
  const distinct = [...new Set(entries)]
  refuseCount(field, distinct, max)
  return distinct
}

function requireOneOf(field: string, value: unknown, allowed: readonly string[], index?: number): string {
  return (
    allowed.find((known) => known === value) ??
    refuseTaxonomy(field, value, `must be one of ${allowed.join(', ')}`, index)
  )
}

function parseNumber(field: string, value: unknown, { min, max }: { min: number; max: number }) {
  if (value === null) return null
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value
  return refuseTaxonomy(field, value, `must be a whole number from ${min} to ${max}`)
}

function parseLine(field: string, value: unknown, max = Number.POSITIVE_INFINITY): string | null {
  if (value === null) return null
  if (typeof value !== 'string') return refuseTaxonomy(field, value, 'must be a text')
  const line = value.trim()
  if (countCharacters(line) > max) refuseTaxonomy(field, line, `must have at most ${max} characters`)
  return line === '' ? null : line
}

function textsOf(field: string, value: unknown): string[] {
  if (value === null) return []
  if (!Array.isArray(value)) return refuseTaxonomy(field, value, 'must be a list of texts')
  return value.map((entry: unknown, index) =>
    typeof entry === 'string' ? entry : refuseTaxonomy(field, entry, 'must be a text', index),
  )
}
