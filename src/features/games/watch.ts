import type { DatabaseHandle } from '../../db/client.ts'
import { ALL_GAMES, GAME_CHANGED } from './service.ts'

export interface GameWatch {
  /**
   * Calls back after every change of the game, its builds or their scans. Returns a function that ends this.
   */
  watch(gameUid: string, onChange: () => void): () => void
}

/** One subscription per process, for any number of readers. */
export async function createGameWatch(database: DatabaseHandle): Promise<GameWatch> {
  const readers = new Map<string, Set<() => void>>()
  const notify = (found: Iterable<() => void> = []) => [...found].forEach((onChange) => onChange())
  const notifyAll = () => [...readers.values()].forEach(notify)
  await database.listen(
    GAME_CHANGED,
    (uid) => (uid === ALL_GAMES ? notifyAll() : notify(readers.get(uid))),
    notifyAll,
  )
  return {
    watch(gameUid, onChange) {
      const own = readers.get(gameUid) ?? new Set()
      readers.set(gameUid, own.add(onChange))
      return () => {
        own.delete(onChange)
        if (own.size === 0) readers.delete(gameUid)
      }
    },
  }
}
