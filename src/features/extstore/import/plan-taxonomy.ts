import type { StoreApp } from '../../../clients/ext-store/ext-store.ts'
import { isSlug, SLUG_MAX, TAGS_MAX, TAGS_MIN } from '../../../domain/listings/slugs.ts'
import { type Genre, GENRES_MAX, type Input, type Net } from '../../../domain/listings/taxonomy.ts'
import { slugify } from '../../../lib/text/slug.ts'
import { CATEGORIES, GENRES_BY_ID, GENRES_BY_TAG, INPUTS_BY_CATEGORY, WARNINGS_BY_GENRE } from './mapping.ts'
import type { Skipped } from './model.ts'
import { type Part, skip } from './plan-part.ts'

export function planTaxonomy(app: StoreApp, inputs: readonly Input[]): Part[] {
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
