import type { Deps } from '../../../deps.ts'
import { BoundedCache } from '../../../lib/cache/bounded-cache.ts'
import { coalesceMany } from '../../../lib/flow/coalesce.ts'
import { ALL_GAMES, GAME_CHANGED } from '../../games/service.ts'
import { type Choice, keyOf } from './model.ts'
import { listFacts, type PlayFacts } from './queries.ts'

/** Facts are read again after this, so that a lost notification delays a take-down by no more. */
const LIFETIME_MS = 500
const ENTRIES_MAX = 10_000
/** The minimum time between two reads under load. */
const READS_APART_MS = 2

interface Known {
  /** Null for a game that does not exist. */
  facts: PlayFacts | null
  gameUid: string
}

export type ReadFacts = (choice: Choice) => PlayFacts | null | Promise<PlayFacts | null>

/** Cached, because every file of a game asks; concurrent reads share one query. */
export async function createFactsReader({ db, database }: Pick<Deps, 'db' | 'database'>): Promise<ReadFacts> {
  const cached = new BoundedCache<Known>({
    maxEntries: ENTRIES_MAX,
    lifetimeMs: LIFETIME_MS,
    ownersOf: ({ gameUid }) => [gameUid],
  })
  await database.listen(
    GAME_CHANGED,
    (uid) => (uid === ALL_GAMES ? cached.clear() : cached.deleteOwner(uid)),
    () => cached.clear(),
  )
  const choices = new Map<string, Choice>()
  const readMany = coalesceMany<PlayFacts>(async (keys) => {
    const wanted = keys.flatMap((key) => choices.get(key) ?? [])
    for (const key of keys) choices.delete(key)
    const found = await listFacts(db, wanted)
    return new Map(found.flatMap(([index, facts]) => (wanted[index] ? [[keyOf(wanted[index]), facts]] : [])))
  }, READS_APART_MS)

  async function read(choice: Choice, key: string): Promise<PlayFacts | null> {
    const store = cached.beginRead()
    choices.set(key, choice)
    const facts = (await readMany([key])).get(key) ?? null
    store(key, { facts, gameUid: choice.gameUid })
    return facts
  }

  return (choice) => {
    const key = keyOf(choice)
    const known = cached.get(key)
    return known ? known.facts : read(choice, key)
  }
}
