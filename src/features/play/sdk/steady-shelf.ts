/** A save in this browser: one that waits to be sent, or a copy of what the account has. */
export interface Kept {
  id?: number
  slot: string
  bytes: ArrayBuffer
  at: string
  /** What it is based on: a revision, the id of another that waits, or null: nothing. */
  base: string | number | null
  revision?: string
  /** The slot, under the one that applies, so that an index has only these. */
  waits?: string
  sent?: string
}

/** Keeps what must survive a reload. Every call is whole or not at all. */
export interface Shelf {
  get(id: number): Promise<Kept | undefined>
  newest(slot: string): Promise<Kept | undefined>
  /** In the order of their writes. */
  waiting(): Promise<[id: number, slot: string][]>
  slots(): Promise<string[]>
  /** Adds it, or replaces the one of its id. Once it is sent, older copies of the slot go. */
  put(kept: Kept): Promise<number>
  remove(ids: readonly number[]): Promise<void>
}

export interface SteadyShelf extends Shelf {
  /** Whether it is still there after a reload. */
  isLasting(id: number): boolean
}

/** Above all ids of the disk. */
const FIRST = 2 ** 40

/**
 * Keeps in memory what the disk does not take, as in a private window or when it is full; null: there is no disk.
 * After its first fault all that follows stays in memory, so that ids keep the order of the writes.
 */
export function createSteadyShelf(disk: Shelf | null): SteadyShelf {
  /** Over what the disk has; null: removed. */
  const held = new Map<number, Kept | null>()
  let next = FIRST
  let takes = disk

  async function ask<Value>(work: (disk: Shelf) => Promise<Value>, otherwise: Value): Promise<Value> {
    return disk ? await work(disk).catch(() => otherwise) : otherwise
  }

  return {
    isLasting: (id) => !held.has(id),
    async get(id) {
      return held.has(id) ? (held.get(id) ?? undefined) : await ask((own) => own.get(id), undefined)
    },
    async newest(slot) {
      const known = await ask((own) => own.newest(slot), undefined)
      let [found, last] = [known, known?.id ?? 0]
      if (held.has(last)) [found, last] = [undefined, 0]
      for (const [id, kept] of held) if (kept?.slot === slot && id > last) [found, last] = [kept, id]
      return found
    },
    async waiting() {
      const known = await ask((own) => own.waiting(), [])
      const found = known.filter(([id]) => !held.has(id))
      for (const [id, kept] of held) if (kept?.waits !== undefined) found.push([id, kept.slot])
      return found.sort(([one], [other]) => one - other)
    },
    async slots() {
      const found = new Set(await ask((own) => own.slots(), []))
      for (const kept of held.values()) if (kept) found.add(kept.slot)
      return [...found]
    },
    async put(kept) {
      try {
        if (takes) return await takes.put(kept)
      } catch {
        takes = null
      }
      const { id = next++, sent } = kept
      held.set(id, { ...kept, id })
      if (sent === undefined) return id
      for (const [other, old] of held) if (other < id && old?.sent === sent) held.set(other, null)
      return id
    },
    async remove(ids) {
      const isGone = await ask((own) => own.remove(ids).then(() => true), false)
      for (const id of ids) if (!isGone || held.has(id)) held.set(id, null)
    },
  }
}
