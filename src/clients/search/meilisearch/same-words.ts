import { readSameWords, type SameWords } from '../../../domain/listings/everyday-words.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import type { Find, FindTerm } from '../search-engine.ts'

type Alternatives = FindTerm['alternatives']

/** Long and of letters only, so that it is one word and near no other. */
const TOKEN_LETTERS = 24
const FIRST_LETTER = 'a'.charCodeAt(0)

/**
 * The word that stands for a group of phrases in what the engine is asked. Its synonyms are the phrases, so that other
 * searches do not use them.
 */
export function tokenOf(alternatives: Alternatives): string {
  const phrases = alternatives.map((words) => words.join(' ')).toSorted()
  const digits = sha256Hex(phrases.join('\n')).slice(0, TOKEN_LETTERS)
  return Array.from(digits, (digit) => String.fromCharCode(FIRST_LETTER + Number.parseInt(digit, 16))).join(
    '',
  )
}

function listSynonyms(groups: SameWords): Record<string, string[]> {
  return Object.fromEntries(
    [...new Set(groups.values())].map((alternatives) => [
      tokenOf(alternatives),
      alternatives.map((words) => words.join(' ')).toSorted(),
    ]),
  )
}

/** Those that every store has. */
export const STANDARD_SYNONYMS = listSynonyms(readSameWords([]))

/** The synonyms of the index: for each group its word. A group of every store stays beside one that extends it. */
export function toSynonyms(groups: SameWords): Record<string, string[]> {
  return { ...STANDARD_SYNONYMS, ...listSynonyms(groups) }
}

/** The terms in the engine's syntax; a phrase may be incomplete only where it is last. */
export function toParts({ terms, without }: Find): string[] {
  return [...without.map((words) => `-"${words.join(' ')}"`), ...terms.map(toPart)]
}

/** The same without typos and beginnings. */
export function toExactParts({ terms }: Find): string[] {
  return terms.map((term) => (isGroup(term) ? toPart(term) : toPart({ ...term, kind: 'exact' })))
}

function toPart({ kind, alternatives }: FindTerm): string {
  const typed = (alternatives[0] ?? []).join(' ')
  if (isGroup({ kind, alternatives })) return tokenOf(alternatives)
  return kind === 'exact' || kind === 'same' ? `"${typed}"` : typed
}

/** A phrase without other names needs no word of its own. */
function isGroup({ kind, alternatives }: FindTerm): boolean {
  return kind === 'same' && alternatives.length > 1
}

/** The words of the query that stand for groups. */
export function tokensOf(find: Find | undefined): string[] {
  return find?.terms.filter(isGroup).map(({ alternatives }) => tokenOf(alternatives)) ?? []
}
