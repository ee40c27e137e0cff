import type { Dice } from '../../lib/dice.ts'
import { ADJECTIVES, NOUNS, SENTENCES } from './words.ts'

/** Early items of a list far more often than late ones. */
export function common<Item>(dice: Dice, items: readonly Item[]): Item {
  const item = items[Math.floor(items.length * dice.next() ** 2.4)]
  if (item === undefined) throw new Error('Nothing to choose from')
  return item
}

/** So many of them, early ones more often, none twice; fewer when the same come up again. */
export function commonSome<Item>(dice: Dice, items: readonly Item[], count: number): Item[] {
  return [...new Set(Array.from({ length: count }, () => common(dice, items)))]
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

export function inventName(dice: Dice): string {
  return fillIn(dice, common(dice, NAMES))
}

export function inventTagline(dice: Dice): string {
  return fillIn(dice, dice.pick(SENTENCES))
}

/** A few paragraphs; some pages say little, some a lot. */
export function inventDescription(dice: Dice): string {
  const paragraphs = 2 + Math.floor(7 * dice.next() ** 3)
  return Array.from({ length: paragraphs }, () =>
    Array.from({ length: 3 + dice.below(4) }, () => fillIn(dice, dice.pick(SENTENCES))).join(' '),
  ).join('\n\n')
}

function fillIn(dice: Dice, pattern: string): string {
  return pattern.replace(/\{(adjective|noun)\}/gi, (_, kind: string) => {
    const word = dice.pick(kind.toLowerCase() === 'noun' ? NOUNS : ADJECTIVES)
    return /^[A-Z]/.test(kind) ? word.slice(0, 1).toUpperCase() + word.slice(1) : word
  })
}
