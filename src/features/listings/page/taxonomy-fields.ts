import type { games } from '../../../db/schema/games/games.ts'
import {
  ENGINES_MAX,
  readSlugs,
  refuseCount,
  refuseTaxonomy,
  TAGS_MAX,
} from '../../../domain/listings/slugs.ts'
import {
  AI_USES,
  AUTHORSHIP_CREDIT_MAX,
  AUTHORSHIPS,
  CONTENT_WARNINGS,
  GENRES,
  GENRES_MAX,
  INPUTS,
  NETS,
  PLAYERS_LEAST,
  PLAYERS_MOST,
  SESSION_BUCKETS,
  TONES,
  TONES_MAX,
} from '../../../domain/listings/taxonomy.ts'
import { countCharacters } from '../../../lib/text/characters.ts'
import type { ListingPatch } from './model.ts'

type Row = typeof games.$inferSelect
type Values = Partial<typeof games.$inferInsert>

/** Every invalid taxonomy field is 4071; the message names the field and the value. */
export function readTaxonomy(patch: ListingPatch, current: Pick<Row, 'playersMin' | 'playersMax'>): Values {
  const values: Values = {
    ...read(patch, 'genres', (value, field) => ({ genres: listOf(field, value, GENRES, GENRES_MAX) })),
    ...read(patch, 'tags', (value, field) => ({ tags: readSlugs(field, textsOf(field, value), TAGS_MAX) })),
    ...read(patch, 'tone', (value, field) => ({ tone: listOf(field, value, TONES, TONES_MAX) })),
    ...read(patch, 'inputs', (value, field) => ({ inputs: listOf(field, value, INPUTS) })),
    ...read(patch, 'content_warnings', (value, field) => ({
      contentWarnings: listOf(field, value, CONTENT_WARNINGS),
    })),
    ...read(patch, 'engines', (value, field) => ({
      engines: readSlugs(field, textsOf(field, value), ENGINES_MAX),
    })),
    ...read(patch, 'session_bucket', (value, field) => ({
      sessionBucket: oneOf(field, value, SESSION_BUCKETS),
    })),
    ...read(patch, 'net', (value, field) => ({ net: oneOf(field, value, NETS) })),
    ...read(patch, 'players_min', (value, field) => ({ playersMin: playersOf(field, value) })),
    ...read(patch, 'players_max', (value, field) => ({ playersMax: playersOf(field, value) })),
    ...read(patch, 'authorship', (value, field) => ({ authorship: oneOf(field, value, AUTHORSHIPS) })),
    ...read(patch, 'authorship_credit', (value, field) => ({ authorshipCredit: creditOf(field, value) })),
    ...read(patch, 'ai_uses', (value, field) => ({ aiUses: listOf(field, value, AI_USES) })),
  }
  const { playersMin = current.playersMin, playersMax = current.playersMax } = values
  if (playersMin !== null && playersMax !== null && playersMin > playersMax) {
    refuseTaxonomy('players_min', playersMin, `must not be more than players_max (${playersMax})`)
  }
  return values
}

/** An absent field stays unchanged; null is passed to the reader, which clears the field. */
function read<Field extends keyof ListingPatch>(
  patch: ListingPatch,
  field: Field,
  reader: (value: unknown, field: Field) => Values,
): Values {
  return patch[field] === undefined ? {} : reader(patch[field], field)
}

function listOf<Value extends string>(
  field: string,
  value: unknown,
  allowed: readonly Value[],
  max: number = allowed.length,
): Value[] {
  const entries = textsOf(field, value).map((entry, index) => requireOneOf(field, entry, allowed, index))
  const distinct = [...new Set(entries)]
  refuseCount(field, distinct, max)
  return distinct
}

function oneOf<Value extends string>(field: string, value: unknown, allowed: readonly Value[]): Value | null {
  return value === null ? null : requireOneOf(field, value, allowed)
}

function requireOneOf<Value extends string>(
  field: string,
  value: unknown,
  allowed: readonly Value[],
  index?: number,
): Value {
  return (
    allowed.find((known) => known === value) ??
    refuseTaxonomy(field, value, `must be one of ${allowed.join(', ')}`, index)
  )
}

function playersOf(field: string, value: unknown): number | null {
  if (value === null) return null
  if (typeof value === 'number' && Number.isInteger(value) && value >= PLAYERS_LEAST && value <= PLAYERS_MOST)
    return value
  return refuseTaxonomy(field, value, `must be a whole number from ${PLAYERS_LEAST} to ${PLAYERS_MOST}`)
}

function creditOf(field: string, value: unknown): string | null {
  if (value === null) return null
  if (typeof value !== 'string') return refuseTaxonomy(field, value, 'must be a text')
  const credit = value.trim()
  if (countCharacters(credit) > AUTHORSHIP_CREDIT_MAX)
    refuseTaxonomy(field, credit, `must have at most ${AUTHORSHIP_CREDIT_MAX} characters`)
  return credit === '' ? null : credit
}

function textsOf(field: string, value: unknown): string[] {
  if (value === null) return []
  if (!Array.isArray(value)) return refuseTaxonomy(field, value, 'must be a list of texts')
  return value.map((entry: unknown, index) =>
    typeof entry === 'string' ? entry : refuseTaxonomy(field, entry, 'must be a text', index),
  )
}
