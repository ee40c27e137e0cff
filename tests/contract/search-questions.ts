import { ARCHITECTURES, OPERATING_SYSTEMS } from '../../src/domain/builds/platforms.ts'
import { ACCESSIBILITY } from '../../src/domain/listings/accessibility.ts'
import {
  AI_USES,
  AUTHORSHIPS,
  CONTENT_WARNINGS,
  GENRES,
  INPUTS,
  NETS,
  SESSION_BUCKETS,
  TONES,
} from '../../src/domain/listings/fields.ts'
import { ASSET_TYPES, LICENSE_KINDS } from '../../src/domain/listings/listing.ts'
import type { Random } from '../../src/lib/random.ts'
import { LANGUAGES } from '../helpers/search/search-documents.ts'

const ENGINES = [
  'godot',
  'unity',
  'unreal',
  'love',
  'bevy',
  'pico-8',
  'gamemaker',
  'custom',
  'nobody-uses-it',
]
const VERSIONS = [
  '2',
  '3',
  '3.5',
  '3.9.9',
  '4',
  '4.0',
  '4.1',
  '4.1.7',
  '4.2',
  '4.2.1',
  '4.2.3',
  '4.3',
  '5',
  '5.1.1',
]
const RENDERERS = ['vulkan', 'opengl', 'metal', 'software']

/** What each parameter may be given. */
export const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  asset_type: ASSET_TYPES,
  type: ASSET_TYPES,
  genres: GENRES,
  tone: TONES,
  inputs: INPUTS,
  ai_uses: AI_USES,
  accessibility: ACCESSIBILITY,
  languages: LANGUAGES,
  session_bucket: SESSION_BUCKETS,
  net: NETS,
  authorship: AUTHORSHIPS,
  os: OPERATING_SYSTEMS,
  license: LICENSE_KINDS,
  exclude_inputs: INPUTS,
  price: ['free', 'under_5', '5_15', 'over_15'],
  rating: ['3', '4'],
  playable: ['true'],
  released: ['month', 'year'],
  players: ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '64'],
  engine: ENGINES,
  engine_version: VERSIONS,
  renderer: RENDERERS,
  exclude_types: ASSET_TYPES,
  exclude_genres: GENRES,
  exclude_tone: TONES,
  exclude_warnings: CONTENT_WARNINGS,
  exclude_ai_uses: AI_USES,
  exclude_accessibility: ACCESSIBILITY,
  exclude_languages: LANGUAGES,
  sort: ['relevance', 'newest', 'updated', 'popular', 'rated', 'price_low', 'price_high', 'name'],
}

const SINGLE = new Set(['license', 'players', 'engine_version', 'renderer', 'sort', 'rating', 'released'])

/** Every value of every parameter alone, every os with every architecture, and engines with versions and renderers. */
export function listQuestions(tags: readonly string[]): string[] {
  return [
    '',
    ...Object.entries(PARAMETERS).flatMap(([name, values]) => values.map((value) => `${name}=${value}`)),
    ...tags.flatMap((tag) => [`tags=${tag}`, `exclude_tags=${tag}`]),
    ...OPERATING_SYSTEMS.flatMap((os) => ARCHITECTURES.map((arch) => `os=${os}&arch=${arch}`)),
    ...ENGINES.slice(0, 3).flatMap((engine) => [
      ...VERSIONS.map((version) => `engine=${engine}&engine_version=${version}`),
      ...RENDERERS.map((renderer) => `engine=${engine}&engine_version=4.1&renderer=${renderer}`),
    ]),
  ]
}

/** A few parameters at once, lists with several values in either form. */
export function inventQuestion(random: Random, tags: readonly string[]): string {
  const choices = { ...PARAMETERS, tags, exclude_tags: tags.slice(0, 20), arch: ARCHITECTURES }
  const params = new URLSearchParams()
  for (const [name, values] of random.draw(Object.entries(choices), random.below(5))) {
    const picked = random.draw(values, SINGLE.has(name) ? 1 : 1 + random.below(3))
    if (random.chance(0.5)) params.set(name, picked.join(','))
    else for (const value of picked) params.append(name, value)
  }
  return params.toString()
}

/** One to three words, the last one often cut off, some with typos. */
export function inventText(random: Random, words: readonly string[]): string {
  const asked = Array.from({ length: 1 + random.below(3) }, () => {
    const word = random.pick(words)
    if (random.chance(0.7)) return word
    const at = random.below(word.length)
    return word.slice(0, at) + random.pick(['', 'x', word[at + 1] ?? '']) + word.slice(at + 1)
  })
  const last = asked.pop() ?? ''
  const text = [...asked, random.chance(0.5) ? last.slice(0, 1 + random.below(last.length)) : last]
  return text.filter((word) => word !== '').join(' ')
}
