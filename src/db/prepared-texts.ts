import { LRUCache } from 'lru-cache'

const PREPARED_MAX = 300
const SEEN_MAX = 1000
const LENGTH_MAX = 8000

/**
 * Chooses the statements that are worth preparing. A connection holds what it has prepared until it closes, about 50 KB
 * each (measured), so their number is limited. A text counts from its second use on, which leaves out most that are
 * built for one use; long texts are lists of values and never count.
 */
export class PreparedTexts {
  readonly #prepared = new Set<string>()
  readonly #seen = new LRUCache<string, true>({ max: SEEN_MAX })

  /** Called for every use of a text. */
  has(text: string): boolean {
    if (this.#prepared.has(text)) return true
    if (this.#prepared.size >= PREPARED_MAX || text.length > LENGTH_MAX) return false
    if (!this.#seen.delete(text)) {
      this.#seen.set(text, true)
      return false
    }
    this.#prepared.add(text)
    return true
  }
}
