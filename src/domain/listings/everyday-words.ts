import { otherNumbersOf } from '../../lib/text/plurals.ts'
import { wordsOf } from '../../lib/text/search-words.ts'
import { FILTERS } from './facets.ts'
import { namesOfLanguage } from './languages.ts'

/** The facets whose values a person can name among the words of a search. */
export const NAMED_FACETS = [
  'asset_type',
  'genres',
  'tone',
  'os',
  'inputs',
  'net',
  'session_bucket',
  'price',
  'accessibility',
  'languages',
  'engines',
  'tags',
] as const
/** What a listing is found by; systems and architectures together are no facet. */
export const NAMED_FIELDS = [...NAMED_FACETS, 'platforms'] as const
export type NamedField = (typeof NAMED_FIELDS)[number]

function playerWords(count: string): readonly string[] {
  return [`${count} player`, `${count} players`]
}

/** Spellings and names of the same thing: whoever types one of a group finds the others. Operators add their own. */
const SAME_WORDS: readonly (readonly string[])[] = [
  ['cozy', 'cosy'],
  ['co-op', 'coop', 'cooperative', 'co-operative'],
  ['sci-fi', 'scifi', 'science fiction'],
  ['roguelike', 'rogue-like', 'rougelike', 'rouge-like'],
  ['roguelite', 'rogue-lite'],
  ['tower defense', 'tower defence', 'towerdefense', 'towerdefence'],
  ['platformer', '2d platformer', 'side-scroller', 'sidescroller'],
  ['singleplayer', 'single-player', '1 player', 'one player'],
  ['rpg', 'role-playing', 'role-playing game'],
  ['metroidvania', 'metroid-vania'],
  ['soulslike', 'souls-like'],
  ['kids', 'children'],
  ['free', 'free to play', 'f2p'],
  ['short', '15 minutes', '15 min', 'under 15 minutes'],
  ['1h', '1 hour', 'one hour'],
  ['3h', '3 hours', 'three hours'],
  ['macos', 'mac os'],
  ['multiplayer', 'multi-player', ...['2', '3', '4', 'two', 'three', 'four'].flatMap(playerWords)],
  ['offline', 'no internet', 'without internet', 'no wifi', 'without wifi'],
  ['onehanded', 'one-handed', 'one hand'],
  ['screenreader', 'screen reader'],
  ['subtitles', 'captions', 'closed captions'],
  ['turn-based', 'turnbased'],
  ['pixel art', 'pixelart'],
  ['open world', 'openworld'],
  ['bullet hell', 'bullethell'],
  ["shoot 'em up", 'shoot em up', 'shmup'],
  ['visual novel', 'visualnovel'],
  ['point and click', 'point & click'],
  ['deckbuilder', 'deck-builder', 'deckbuilding', 'deck-building'],
  ['city builder', 'citybuilder', 'city-building'],
  ['split screen', 'splitscreen'],
  ['low poly', 'lowpoly'],
  ['steam deck', 'steamdeck'],
  ['gamepad', 'controller', 'joypad', 'xbox controller', 'controller support'],
  ['touchscreen', 'touch screen'],
  ['vr', 'virtual reality'],
  ['fps', 'first-person shooter'],
  ['rts', 'real-time strategy'],
  ['ai', 'generative ai', 'ai generated'],
  ['asset', 'asset pack', 'asset packs'],
  ['chinese', 'simplified chinese', 'traditional chinese'],
  ['portuguese', 'brazilian portuguese'],
  ['colorblind', 'colourblind', 'color-blind', 'colour-blind'],
]

const PLAYED_TOGETHER = ['multiplayer']

/** What people call a value, beside the words it is written with: single words, because groups join several. */
const EVERYDAY_NAMES: Readonly<Partial<Record<string, Readonly<Record<string, readonly string[]>>>>> = {
  os: {
    windows: ['pc'],
    macos: ['mac', 'osx', 'apple', 'macbook'],
    android: ['phone', 'phones', 'smartphone', 'mobile', 'tablet'],
    ios: ['iphone', 'ipad'],
    web: ['browser', 'html5'],
  },
  net: {
    offline: ['singleplayer', 'solo'],
    local: PLAYED_TOGETHER,
    online: PLAYED_TOGETHER,
    local_online: PLAYED_TOGETHER,
  },
  session_bucket: { '15m': ['short', 'quick'], '3h': ['long'] },
  inputs: { touch: ['touchscreen'] },
  genres: {
    rpg: ['roleplaying'],
    simulation: ['sim', 'simulator'],
    educational: ['education', 'learning'],
    card: ['cards'],
    horror: ['scary', 'creepy', 'spooky'],
  },
  tone: { relaxing: ['relaxed', 'chill'], funny: ['comedy'] },
  content_warnings: {
    violence: ['violent'],
    gore: ['blood', 'bloody', 'gory'],
    sexual: ['sex'],
    language: ['swearing'],
    flashing_lights: ['flashing', 'strobe'],
  },
}

/** Values of these fields are found by nothing else: `game` is no name of `game_asset`. */
const ONLY_NAMES: Readonly<Partial<Record<string, Readonly<Record<string, readonly string[]>>>>> = {
  asset_type: {
    game: ['game', 'games'],
    application: ['application', 'applications', 'app', 'apps', 'program', 'software'],
    tool: ['tool', 'tools'],
    mod: ['mod', 'mods'],
    plugin: ['plugin', 'plugins', 'addon'],
    game_asset: ['asset', 'assets'],
    dev_asset: ['asset', 'assets'],
  },
  platforms: { 'linux|x86_64': ['steamdeck'] },
  ai_uses: Object.fromEntries((FILTERS.ai_uses.values ?? []).map((value) => [value, ['ai']])),
  // Their labels are sentences of common words.
  accessibility: {
    one_handed: ['onehanded'],
    colour_blind_safe: ['colorblind'],
    screen_reader: ['screenreader'],
    subtitles: ['subtitles'],
  },
  price: { free: ['free', 'cheap'], under_5: ['cheap'] },
}

/** Values of these fields are found as singular and as plural. */
const COUNTED: ReadonlySet<string> = new Set(['genres', 'tags'])

const TYPE_NAMES = new Set(Object.values(ONLY_NAMES['asset_type'] ?? {}).flat())

/** Whether people mean a type of listings by it: in a developer's name it says little. */
export function isTypeName(word: string): boolean {
  return TYPE_NAMES.has(word)
}

/** The single words that a value is found by; a name of several words is also found when written as one. */
export function wordsOfValue(field: string, value: string): string[] {
  if (field === 'languages') return namesOfLanguage(value).flatMap(wordsOf)
  const only = ONLY_NAMES[field]
  if (only) return [...(only[value] ?? [])]
  const names = EVERYDAY_NAMES[field]?.[value] ?? []
  const words = wordsOf(value)
  const joined = words.length > 1 ? [words.join('')] : []
  const numbers = COUNTED.has(field) ? words.slice(-1).flatMap(otherNumbersOf) : []
  return [...new Set([...words, ...joined, ...numbers, ...names])]
}

/** The words of a developer's name, also written as one. */
export function wordsOfDeveloper(name: string): string[] {
  const words = wordsOf(name)
  return words.length > 1 ? [...words, words.join('')] : words
}

/** A value of a field with few of them, as the index has it. */
interface KnownValue {
  field: NamedField
  value: string
}

/** Every closed value that a search can name. */
export const KNOWN_VALUES: readonly KnownValue[] = [
  ...NAMED_FACETS.flatMap((field) => (FILTERS[field].values ?? []).map((value) => ({ field, value }))),
  ...Object.keys(ONLY_NAMES['platforms'] ?? {}).map((value) => ({ field: 'platforms' as const, value })),
]

/** Other ways to say a phrase, by its words joined with spaces. */
export type SameWords = ReadonlyMap<string, readonly (readonly string[])[]>

/** Whether a value is also found by the words it is written with. */
export function isFoundByItself(field: string): boolean {
  return ONLY_NAMES[field] === undefined
}

/** The most words of a phrase. */
export const PHRASE_WORDS_MAX = 4

/** Groups that share a phrase are one. */
export function readSameWords(own: readonly (readonly string[])[]): SameWords {
  const groups = new Map<string, Set<string>>()
  for (const group of [...SAME_WORDS, ...own]) {
    const phrases = group
      .map((phrase) => wordsOf(phrase))
      .filter(({ length }) => length > 0 && length <= PHRASE_WORDS_MAX)
      .map((words) => words.join(' '))
    const merged = new Set(phrases.flatMap((phrase) => [phrase, ...(groups.get(phrase) ?? [])]))
    for (const phrase of merged) groups.set(phrase, merged)
  }
  const listed = new Map([...new Set(groups.values())].map((group) => [group, [...group].map(split)]))
  return new Map(
    [...groups].flatMap(([phrase, group]) => (group.size > 1 ? [[phrase, listed.get(group) ?? []]] : [])),
  )
}

function split(phrase: string): string[] {
  return phrase.split(' ')
}
