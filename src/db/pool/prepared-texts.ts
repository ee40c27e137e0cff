import { LRUCache } from 'lru-cache'

const PREPARED_MAX = 300
const LENGTH_MAX = 8000

/**
 * Chooses the statements to prepare: only repeated texts, and no long ones, which are lists of values. Each takes 50 KB
 * per connection until that closes, and the driver knows only all or none. Test: "however many texts there are, a
 * connection prepares a few hundred" (tests/integration/db/prepared.test.ts).
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
