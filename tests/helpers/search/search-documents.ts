import { platformTokens } from '../../../src/clients/search/search-engine.ts'
import { ARCHITECTURES, OPERATING_SYSTEMS } from '../../../src/domain/builds/platforms.ts'
import { ACCESSIBILITY } from '../../../src/domain/listings/accessibility.ts'
import { PLAYABLE, priceBandOf, ratingValuesOf } from '../../../src/domain/listings/facets.ts'
import {
  AI_USES,
  AUTHORSHIPS,
  CONTENT_WARNINGS,
  GENRES,
  INPUTS,
  NETS,
  SESSION_BUCKETS,
  TONES,
} from '../../../src/domain/listings/fields.ts'
import { ASSET_TYPES, LICENSE_KINDS } from '../../../src/domain/listings/listing.ts'
import { type SearchDocument } from '../../../src/domain/listings/search-document.ts'
import { createRandom, type Random } from '../../../src/lib/random.ts'

/** When searches in catalogs of random documents are asked: the newest of them were published just before. */
export const CATALOG_NOW = 1_749_999_960_000

/** A game with no data except what the test sets. */
export function makeDocument({ price_cents = 0, ...values }: Partial<SearchDocument> = {}): SearchDocument {
  return {
    uid: crypto.randomUUID(),
    name: 'Untitled',
    tagline: '',
    description: '',
    post_titles: [],
    developer: 'nobody',
    developer_name: null,
    asset_type: 'game',
    genres: [],
    tags: [],
    tone: [],
    inputs: [],
    session_bucket: null,
    net: null,
    authorship: null,
    ai_uses: [],
    accessibility: [],
    languages: [],
    content_warnings: [],
    os: [],
    platforms: [],
    price: priceBandOf(price_cents),
    price_cents,
    rating: [],
    rated: 0,
    popularity: 0,
    playable: [],
    license_kind: null,
    engines: [],
    compat: [],
    players_min: null,
    players_max: null,
    adult: false,
    health_penalty: 0,
    published_at: 1_700_000_000_000,
    updated_at: 1_700_000_000_000,
    package: null,
    ...values,
  }
}

const SYLLABLES =
  'la mo ri ter ne ka so vi del an tor gri po zu hem ble ston war lig ex cor mi fa qui el do sha en ver tu bra ol'.split(
    ' ',
  )
const ENGINES = ['godot', 'unity', 'unreal', 'love', 'bevy', 'pico-8', 'gamemaker', 'custom']
export const LANGUAGES = ['en', 'de', 'pt-BR', 'zh-Hans', 'ja', 'es-419', 'gsw']
const RENDERERS = [null, null, 'vulkan', 'opengl', 'metal']
const VERSIONS = ['3', '3.5', '4', '4.0', '4.1', '4.2', '4.2.2', '4.3', '5.1']

/** Random words, the same for the same seed; the first are meant to be the most common. */
export function makeWords(seed: string, count: number): string[] {
  const random = createRandom(seed)
  const words = new Set<string>()
  while (words.size < count) {
    words.add(Array.from({ length: 1 + random.below(4) }, () => random.pick(SYLLABLES)).join(''))
  }
  return [...words].sort((left, right) => left.length - right.length)
}

/** As in real texts, a few words are common and most are rare. */
export function pickCommon(random: Random, words: readonly string[]): string {
  return words[Math.floor(Math.exp(random.next() * Math.log(words.length)))] ?? ''
}

export interface CatalogShape {
  words: readonly string[]
  tags: readonly string[]
  /** The number of words of a description. */
  length: number
}

export function makeRandomDocument(random: Random, index: number, shape: CatalogShape): SearchDocument {
  const text = (length: number) => Array.from({ length }, () => pickCommon(random, shape.words)).join(' ')
  const some = <Value>(values: readonly Value[], most: number) => random.draw(values, random.below(most + 1))
  const maybe = <Value>(values: readonly Value[]) => (random.chance(0.8) ? random.pick(values) : null)
  const builds = Array.from({ length: random.below(4) }, () => ({
    os: random.pick(OPERATING_SYSTEMS),
    arch: random.pick(ARCHITECTURES),
  }))
  const players = random.chance(0.7) ? [1 + random.below(4), 4 + random.below(5)] : [null, null]
  return makeDocument({
    uid: `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`,
    name: text(1 + random.below(4)),
    tagline: text(3 + random.below(8)),
    description: text(random.below(shape.length * 2)),
    asset_type: random.chance(0.6) ? 'game' : random.pick(ASSET_TYPES),
    genres: some(GENRES, 3),
    tags: [...new Set(Array.from({ length: 3 + random.below(6) }, () => pickCommon(random, shape.tags)))],
    tone: some(TONES, 3),
    inputs: some(INPUTS, 3),
    price_cents: random.chance(0.5) ? 0 : random.pick([99, 499, 500, 501, 999, 1499, 1500, 1501, 5999]),
    rating: ratingValuesOf(random.below(10), random.below(40)),
    rated: random.chance(0.5) ? 0 : random.below(1_000_000),
    popularity: random.chance(0.5) ? 0 : random.below(200),
    playable: random.chance(0.2) ? [PLAYABLE] : [],
    session_bucket: maybe(SESSION_BUCKETS),
    net: maybe(NETS),
    authorship: maybe(AUTHORSHIPS),
    ai_uses: random.chance(0.3) ? some(AI_USES, 3) : [],
    accessibility: random.chance(0.4) ? some(ACCESSIBILITY, 5) : [],
    languages: random.chance(0.7) ? some(LANGUAGES, 4) : [],
    content_warnings: random.chance(0.3) ? some(CONTENT_WARNINGS, 3) : [],
    os: [...new Set(builds.map(({ os }) => os))],
    platforms: [...new Set(builds.flatMap(({ os, arch }) => platformTokens(os, arch)))],
    license_kind: maybe(LICENSE_KINDS),
    engines: random.chance(0.7) ? random.draw(ENGINES, 1) : [],
    compat: Array.from({ length: random.chance(0.3) ? 1 + random.below(2) : 0 }, () => {
      const [one, other] = [random.below(VERSIONS.length), random.below(VERSIONS.length)]
      return {
        engine: random.pick(ENGINES),
        min_version: VERSIONS[Math.min(one, other)] ?? '3',
        max_version: VERSIONS[Math.max(one, other)] ?? '5',
        renderer: random.pick(RENDERERS),
      }
    }),
    players_min: players[0] ?? null,
    players_max: players[1] ?? null,
    adult: random.chance(0.03),
    health_penalty: random.chance(0.05) ? 1 : 0,
    published_at: 1_700_000_000_000 + random.below(50_000_000) * 1000,
    updated_at: 1_750_000_000_000 + random.below(50_000_000) * 1000,
  })
}
