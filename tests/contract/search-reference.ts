import { type Facet, FACETS } from '../../src/domain/listings/facets.ts'
import { type SearchDocument } from '../../src/domain/listings/search-document.ts'
import { wordsOf } from '../../src/lib/text/search-words.ts'
import { CATALOG_NOW } from '../helpers/search/search-documents.ts'

/** The law, written as plainly as possible: every document is looked at for every question. */
export interface Expected {
  /** In the order of the answer where no text was searched. */
  uids: string[]
  facets: Record<Facet, Record<string, number>>
}

export function expectAnswer(
  documents: readonly SearchDocument[],
  query: string,
  matchesText: (document: SearchDocument) => boolean = () => true,
): Expected {
  const params = new URLSearchParams(query)
  const named = documents.filter(matchesText)
  const found = named.filter(conditionsOf(params))
  const facets = Object.fromEntries(
    FACETS.map((facet) => {
      const others = new URLSearchParams(params)
      for (const name of PICKED_BY[facet]) others.delete(name)
      const isPicked = others.size < params.size
      return [facet, countValues(isPicked ? named.filter(conditionsOf(others)) : found, facet)]
    }),
  )
  return {
    uids: found.toSorted(orderOf(params)).map(({ uid }) => uid),
    facets: facets as Expected['facets'],
  }
}

const PICKED_BY: Readonly<Record<Facet, readonly string[]>> = {
  asset_type: ['asset_type', 'type'],
  genres: ['genres'],
  tags: ['tags'],
  tone: ['tone'],
  inputs: ['inputs'],
  price: ['price'],
  rating: ['rating'],
  playable: ['playable'],
  released: ['released'],
  session_bucket: ['session_bucket'],
  net: ['net'],
  authorship: ['authorship'],
  ai_uses: ['ai_uses'],
  accessibility: ['accessibility'],
  languages: ['languages'],
  content_warnings: [],
  os: ['os', 'arch'],
  license_kind: ['license'],
  engines: ['engine'],
}

function valuesOf(params: URLSearchParams, ...names: string[]): string[] {
  return names.flatMap((name) => params.getAll(name).flatMap((text) => text.split(',')))
}

type Condition = (document: SearchDocument) => boolean

/** Only for what the questions contain: values are known and written as they are kept. */
function conditionsOf(params: URLSearchParams): Condition {
  const conditions: Condition[] = [({ adult }) => !adult]
  type Has = (document: SearchDocument) => readonly (string | null)[]
  const any = (has: Has, ...names: string[]) => {
    const wanted = valuesOf(params, ...names)
    if (wanted.length > 0)
      conditions.push((document) => wanted.some((value) => has(document).includes(value)))
  }
  const none = (has: Has, name: string) => {
    const unwanted = valuesOf(params, name)
    conditions.push((document) => !unwanted.some((value) => has(document).includes(value)))
  }
  any(({ asset_type }) => [asset_type], 'asset_type', 'type')
  any(({ genres }) => genres, 'genres')
  any(({ tags }) => tags, 'tags')
  any(({ tone }) => tone, 'tone')
  any(({ inputs }) => inputs, 'inputs')
  any(({ ai_uses }) => ai_uses, 'ai_uses')
  any(({ accessibility }) => accessibility, 'accessibility')
  any(({ languages }) => languages, 'languages')
  any(({ session_bucket }) => [session_bucket], 'session_bucket')
  any(({ net }) => [net], 'net')
  any(({ authorship }) => [authorship], 'authorship')
  any(({ license_kind }) => [license_kind], 'license')
  any(({ price_cents }) => [bandOf(price_cents)], 'price')
  any(({ rating }) => rating, 'rating')
  any(({ playable }) => playable, 'playable')
  any(releasedIn, 'released')
  none(({ asset_type }) => [asset_type], 'exclude_types')
  none(({ genres }) => genres, 'exclude_genres')
  none(({ tone }) => tone, 'exclude_tone')
  none(({ inputs }) => inputs, 'exclude_inputs')
  none(({ tags }) => tags, 'exclude_tags')
  none(({ content_warnings }) => content_warnings, 'exclude_warnings')
  none(({ ai_uses }) => ai_uses, 'exclude_ai_uses')
  none(({ accessibility }) => accessibility, 'exclude_accessibility')
  none(({ languages }) => languages, 'exclude_languages')
  const [os, arch] = [valuesOf(params, 'os'), valuesOf(params, 'arch')]
  const players = params.get('players')
  const engine = { names: valuesOf(params, 'engine'), version: params.get('engine_version') }
  const renderer = params.get('renderer')
  conditions.push(
    (document) => runsOn(document, os, arch),
    (document) => supports(document, players),
    (document) => fitsEngine(document, engine.names, engine.version, renderer),
  )
  return (document) => conditions.every((condition) => condition(document))
}

function bandOf(cents: number): string {
  if (cents === 0) return 'free'
  return cents < 500 ? 'under_5' : cents > 1500 ? 'over_15' : '5_15'
}

function releasedIn({ published_at }: SearchDocument): string[] {
  const days = (CATALOG_NOW - published_at) / (24 * 60 * 60 * 1000)
  return [...(days <= 31 ? ['month'] : []), ...(days <= 366 ? ['year'] : [])]
}

function runsOn({ os: systems, platforms }: SearchDocument, os: string[], arch: string[]): boolean {
  if (os.length === 0) return true
  if (arch.length === 0) return os.some((system) => systems.includes(system))
  const same: Record<string, string> = { arm: 'arm32', wasm: 'wasm32' }
  return os.some((system) => arch.some((one) => platforms.includes(`${system}|${same[one] ?? one}`)))
}

function supports({ players_min: min, players_max: max }: SearchDocument, asked: string | null): boolean {
  return asked === null || (min !== null && max !== null && min <= Number(asked) && Number(asked) <= max)
}

function fitsEngine(
  { engines, compat }: SearchDocument,
  wanted: string[],
  version: string | null,
  renderer: string | null,
): boolean {
  const isDeclared = compat.some(
    (range) =>
      (wanted.length === 0 || wanted.includes(range.engine)) &&
      (renderer === null || range.renderer === null || range.renderer === renderer) &&
      (version === null || isBetween(version, range.min_version, range.max_version)),
  )
  if (version !== null || renderer !== null) return isDeclared
  return wanted.length === 0 || isDeclared || wanted.some((engine) => engines.includes(engine))
}

/** As numbers of one length, with room for three digits each; a maximum ends where its next neighbour begins. */
function isBetween(version: string, min: string, max: string): boolean {
  const numberOf = (text: string, lastMore = 0) => {
    const parts = text.split('.').map(Number)
    parts[parts.length - 1] = (parts.at(-1) ?? 0) + lastMore
    return [0, 1, 2, 3].reduce((sum, index) => sum * 1000 + (parts[index] ?? 0), 0)
  }
  return numberOf(min) <= numberOf(version) && numberOf(version) < numberOf(max, 1)
}

function orderOf(params: URLSearchParams): (left: SearchDocument, right: SearchDocument) => number {
  const byUid = (left: SearchDocument, right: SearchDocument) => (left.uid < right.uid ? 1 : -1)
  const sort = params.get('sort')
  if (sort === 'newest') return (a, b) => b.published_at - a.published_at || byUid(a, b)
  if (sort === 'updated') return (a, b) => b.updated_at - a.updated_at || byUid(a, b)
  const newest = (a: SearchDocument, b: SearchDocument) => b.published_at - a.published_at || byUid(a, b)
  if (sort === 'popular') return (a, b) => b.popularity - a.popularity || newest(a, b)
  if (sort === 'rated') return (a, b) => b.rated - a.rated || newest(a, b)
  if (sort === 'price_low') return (a, b) => a.price_cents - b.price_cents || newest(a, b)
  if (sort === 'price_high') return (a, b) => b.price_cents - a.price_cents || newest(a, b)
  const nameOf = ({ name }: SearchDocument) => wordsOf(name).join(' ')
  if (sort === 'name') {
    return (a, b) => (nameOf(a) === nameOf(b) ? newest(a, b) : nameOf(a) < nameOf(b) ? -1 : 1)
  }
  const wanted = new Set(valuesOf(params, 'tags'))
  const matched = ({ tags }: SearchDocument) => tags.filter((tag) => wanted.has(tag)).length
  return (a, b) =>
    a.health_penalty - b.health_penalty ||
    matched(b) - matched(a) ||
    b.published_at - a.published_at ||
    byUid(a, b)
}

function countValues(documents: readonly SearchDocument[], facet: Facet): Record<string, number> {
  const counts = new Map<string, number>()
  for (const document of documents) {
    const values = facet === 'released' ? releasedIn(document) : document[facet]
    for (const value of typeof values === 'string' ? [values] : (values ?? [])) {
      counts.set(value, (counts.get(value) ?? 0) + 1)
    }
  }
  const sorted = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
  return Object.fromEntries(sorted.slice(0, 50))
}
