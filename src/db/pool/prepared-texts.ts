import { LRUCache } from 'lru-cache'

const PREPARED_MAX = 300
const LENGTH_MAX = 8000

/**
 * Chooses the statements to prepare. Each takes about 50 KB (measured) per connection until that closes, so
 * their number is limited: only repeated texts are prepared, and never long ones, which are lists of values.
 */
export class PreparedTexts {
  readonly #prepared = new Set<string>()
  readonly #seen = new LRUCache<string, true>({ max: 1000 })

  /** Call for every use of a text. */
  has(text: string): boolean {
    if (this.#prepared.has(text)) return true
    if (this.#prepared.size >= PREPARED_MAX || text.length > LENGTH_MAX) return false
    const isSeen = this.#seen.delete(text)
    if (isSeen) this.#prepared.add(text)
    else this.#seen.set(text, true)
    return isSeen
  }
}
