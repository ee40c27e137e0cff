import type { Random } from '../../lib/random.ts'
import { ADJECTIVES, NOUNS, SENTENCES } from './words.ts'

/** Picks early items of a list far more often than late ones. */
export function common<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[Math.floor(items.length * random.next() ** 2.4)]
  if (item === undefined) throw new Error('Nothing to choose from')
  return item
}

/** Picks up to `count` different items, early ones more often; repeated picks count once. */
export function commonSome<Item>(random: Random, items: readonly Item[], count: number): Item[] {
  return [...new Set(Array.from({ length: count }, () => common(random, items)))]
}

const NAMES = [
  '{Adjective} {Noun}',
  'The {Adjective} {Noun}',
  '{Noun} of the {Adjective} {Noun}',
  '{Noun} & {Noun}',
  'Beyond the {Adjective} {Noun}',
  '{Adjective} {Noun}: {Noun} Days',
  'My {Adjective} {Noun}',
  '{Noun} {Noun} 2',
] as const

export function inventName(random: Random): string {
  return fillIn(random, common(random, NAMES))
}

export function inventTagline(random: Random): string {
  return fillIn(random, random.pick(SENTENCES))
}

/** Returns a few paragraphs; the length varies by page. */
export function inventDescription(random: Random): string {
  const paragraphs = 2 + Math.floor(7 * random.next() ** 3)
  return Array.from({ length: paragraphs }, () =>
    Array.from({ length: 3 + random.below(4) }, () => fillIn(random, random.pick(SENTENCES))).join(' '),
  ).join('\n\n')
}

/** Texts and blanks in turn. The patterns are few, so each is parsed once. */
const parsed = new Map<string, readonly string[]>()

function fillIn(random: Random, pattern: string): string {
  const parts = parsed.get(pattern) ?? pattern.split(/\{(adjective|noun)\}/i)
  parsed.set(pattern, parts)
  return parts.map((part, index) => (index % 2 === 0 ? part : inventWord(random, part))).join('')
}

/** Capitalised like its kind. */
function inventWord(random: Random, kind: string): string {
  const word = random.pick(kind === 'noun' || kind === 'Noun' ? NOUNS : ADJECTIVES)
  return kind === 'Noun' || kind === 'Adjective' ? word.slice(0, 1).toUpperCase() + word.slice(1) : word
}
