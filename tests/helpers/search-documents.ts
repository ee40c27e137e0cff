import { platformTokens, type SearchDocument } from '../../src/clients/search/search-engine.ts'
import { LICENSE_KINDS } from '../../src/domain/licenses.ts'
import { ASSET_TYPES } from '../../src/domain/listing.ts'
import { ARCHITECTURES, OPERATING_SYSTEMS } from '../../src/domain/platforms.ts'
import {
  AI_USES,
  AUTHORSHIPS,
  CONTENT_WARNINGS,
  GENRES,
  NETS,
  SESSION_BUCKETS,
  TONES,
} from '../../src/domain/taxonomy.ts'
import { createDice, type Dice } from '../../src/lib/dice.ts'

/** A game that tells nothing about itself but what the test says. */
export function makeDocument(values: Partial<SearchDocument> = {}): SearchDocument {
  return {
    uid: crypto.randomUUID(),
    name: 'Untitled',
    tagline: '',
    description: '',
    asset_type: 'game',
    genres: [],
    tags: [],
    tone: [],
    session_bucket: null,
    net: null,
    authorship: null,
    ai_uses: [],
    content_warnings: [],
    os: [],
    platforms: [],
    license_kind: null,
    engines: [],
    compat: [],
    players_min: null,
    players_max: null,
    adult: false,
    health_penalty: 0,
    published_at: 1_700_000_000_000,
    updated_at: 1_700_000_000_000,
    ...values,
  }
}

const SYLLABLES =
  'la mo ri ter ne ka so vi del an tor gri po zu hem ble ston war lig ex cor mi fa qui el do sha en ver tu bra ol'.split(
    ' ',
  )
const ENGINES = ['godot', 'unity', 'unreal', 'love', 'bevy', 'pico-8', 'gamemaker', 'custom']
const RENDERERS = [null, null, 'vulkan', 'opengl', 'metal']
const VERSIONS = ['3', '3.5', '4', '4.0', '4.1', '4.2', '4.2.2', '4.3', '5.1']

/** Made-up words; the same for the same seed, the first ones meant to be the most common. */
export function makeWords(seed: string, count: number): string[] {
  const dice = createDice(seed)
  const words = new Set<string>()
  while (words.size < count) {
    words.add(Array.from({ length: 1 + dice.below(4) }, () => dice.pick(SYLLABLES)).join(''))
  }
  return [...words].sort((left, right) => left.length - right.length)
}

/** As in real texts, a few words are everywhere and most are rare. */
export function pickCommon(dice: Dice, words: readonly string[]): string {
  return words[Math.floor(Math.exp(dice.next() * Math.log(words.length)))] ?? ''
}

export interface CatalogShape {
  words: readonly string[]
  tags: readonly string[]
  /** Of a description. */
  length: number
}

export function makeRandomDocument(dice: Dice, index: number, shape: CatalogShape): SearchDocument {
  const text = (length: number) => Array.from({ length }, () => pickCommon(dice, shape.words)).join(' ')
  const some = <Value>(values: readonly Value[], most: number) => dice.draw(values, dice.below(most + 1))
  const maybe = <Value>(values: readonly Value[]) => (dice.chance(0.8) ? dice.pick(values) : null)
  const builds = Array.from({ length: dice.below(4) }, () => ({
    os: dice.pick(OPERATING_SYSTEMS),
    arch: dice.pick(ARCHITECTURES),
  }))
  const players = dice.chance(0.7) ? [1 + dice.below(4), 4 + dice.below(5)] : [null, null]
  return makeDocument({
    uid: `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`,
    name: text(1 + dice.below(4)),
    tagline: text(3 + dice.below(8)),
    description: text(dice.below(shape.length * 2)),
    asset_type: dice.chance(0.6) ? 'game' : dice.pick(ASSET_TYPES),
    genres: some(GENRES, 3),
    tags: [...new Set(Array.from({ length: 3 + dice.below(6) }, () => pickCommon(dice, shape.tags)))],
    tone: some(TONES, 3),
    session_bucket: maybe(SESSION_BUCKETS),
    net: maybe(NETS),
    authorship: maybe(AUTHORSHIPS),
    ai_uses: dice.chance(0.3) ? some(AI_USES, 3) : [],
    content_warnings: dice.chance(0.3) ? some(CONTENT_WARNINGS, 3) : [],
    os: [...new Set(builds.map(({ os }) => os))],
    platforms: [...new Set(builds.flatMap(({ os, arch }) => platformTokens(os, arch)))],
    license_kind: maybe(LICENSE_KINDS),
    engines: dice.chance(0.7) ? dice.draw(ENGINES, 1) : [],
    compat: Array.from({ length: dice.chance(0.3) ? 1 + dice.below(2) : 0 }, () => {
      const [one, other] = [dice.below(VERSIONS.length), dice.below(VERSIONS.length)]
      return {
        engine: dice.pick(ENGINES),
        min_version: VERSIONS[Math.min(one, other)] ?? '3',
        max_version: VERSIONS[Math.max(one, other)] ?? '5',
        renderer: dice.pick(RENDERERS),
      }
    }),
    players_min: players[0] ?? null,
    players_max: players[1] ?? null,
    adult: dice.chance(0.03),
    health_penalty: dice.chance(0.05) ? 1 : 0,
    published_at: 1_700_000_000_000 + dice.below(50_000_000) * 1000,
    updated_at: 1_750_000_000_000 + dice.below(50_000_000) * 1000,
  })
}
