import { LRUCache } from 'lru-cache'

const PREPARED_MAX = 300
const LENGTH_MAX = 8000

/**
 * Chooses the statements to prepare. A connection holds them until it closes, about 50 KB each (measured), so their
 * number is limited: a text counts from its second use on, and long ones, which are lists of values, never count.
 */
export class PreparedTexts {
  readonly #prepared = new Set<string>()
  readonly #seen = new LRUCache<string, true>({ max: 1000 })

  /** Called for every use of a text. */
  has(text: string): boolean {
    if (this.#prepared.has(text)) return true
    if (this.#prepared.size >= PREPARED_MAX || text.length > LENGTH_MAX) return false
    const isSeen = this.#seen.delete(text)
    if (isSeen) this.#prepared.add(text)
    else this.#seen.set(text, true)
    return isSeen
  }
}
